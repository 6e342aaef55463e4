import { withoutSchema } from './attribute-path.ts';
import { refuseScim } from './scim-error.ts';

/** One comparison of a filter. The attribute is in lower case, and without the schema of this standard before it. */
export interface FilterComparison {
  readonly attribute: string;
  readonly value: string | boolean;
}

const MAX_FILTER_CHARS = 1_000;
const MAX_COMPARISONS = 10;

/** What a comparison is written of: attribute, operator, and a JSON string or word. A bracket holds a filter of its own. */
const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*")|([\w$:.-]+)|([[\]()]))/uy;

/**
 * Reads a filter of RFC 7644, section 3.4.2.2: comparisons with `eq`, joined by `and`. `emails[type eq "work"].value eq "x"`
 * counts as a comparison of `emails.value`. Refuses everything else with `invalidFilter`, because an answer to half of a filter would be
 * a wrong answer.
 */
export function readFilter(text: string): readonly FilterComparison[] {
  if (text.length > MAX_FILTER_CHARS) throw invalid(`at most ${MAX_FILTER_CHARS} characters expected`);
  const tokens = tokensOf(text);
  const comparisons: FilterComparison[] = [];
  let at = 0;
  const next = () => tokens[at++] ?? '';
  do {
    comparisons.push(readComparison(next, () => tokens[at] === '['));
    if (comparisons.length > MAX_COMPARISONS)
      throw invalid(`at most ${MAX_COMPARISONS} comparisons expected`);
    if (at >= tokens.length) return comparisons;
  } while (next().toLowerCase() === 'and');
  throw invalid(`comparisons with "eq", joined by "and", expected`);
}

function readComparison(next: () => string, hasBracket: () => boolean): FilterComparison {
  const attribute = nameOf(next());
  if (!hasBracket()) return { attribute, value: readEqual(next) };
  next();
  nameOf(next());
  readEqual(next);
  const [close, sub] = [next(), next()];
  if (close !== ']' || !/^\.\w+$/.test(sub))
    throw invalid('one comparison in brackets, and ".value" after it, expected');
  return { attribute: `${attribute}${sub.toLowerCase()}`, value: readEqual(next) };
}

function nameOf(token: string): string {
  if (!/^[A-Za-z][\w$:.-]*$/.test(token))
    throw invalid(`the name of an attribute expected instead of ${shown(token)}`);
  return withoutSchema(token).toLowerCase();
}

function readEqual(next: () => string): string | boolean {
  const operator = next();
  if (operator.toLowerCase() !== 'eq')
    throw invalid(`the operator "eq" expected instead of ${shown(operator)}`);
  const value = next();
  if (value === 'true' || value === 'false') return value === 'true';
  if (!value.startsWith('"')) throw invalid(`a text in quotation marks expected instead of ${shown(value)}`);
  try {
    return JSON.parse(value) as string;
  } catch {
    throw invalid(`${value} is no text of JSON`);
  }
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const from = TOKEN.lastIndex;
    const [, quoted, word, bracket] = TOKEN.exec(text) ?? [];
    const token = quoted ?? word ?? bracket;
    if (token === undefined) throw invalid(`nothing of a filter at position ${from + 1}`);
    tokens.push(token);
  }
  return tokens;
}

function shown(token: string): string {
  return token === '' ? 'the end' : JSON.stringify(token);
}

function invalid(message: string) {
  return refuseScim('invalidFilter', `filter: ${message}`);
}
