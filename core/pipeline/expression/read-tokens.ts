import { readReference, type ValueReference } from '../reference/reference.ts';
import { COMPARISONS, type Comparison, type ExpressionProblem } from './expression.ts';

export type Token = { readonly offset: number } & (
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'reference'; readonly reference: ValueReference }
  | { readonly kind: 'operator'; readonly operator: Comparison | '&&' | '||' | '!' | '(' | ')' }
  | { readonly kind: 'end' }
);

type Read = { readonly token: Token; readonly end: number };

const BLANKS = /[ \t\r\n]*/y;
/** Numbers follow the grammar of JSON. A letter or digit must not follow directly. */
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;
const WORD = /[A-Za-z_]\w*/y;
const OPERATORS = [...COMPARISONS, '&&', '||', '!', '(', ')'] as const;
const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** The tokens of a condition, with a final end token. */
export function readTokens(text: string): readonly Token[] | ExpressionProblem {
  const tokens: Token[] = [];
  let at = endOf(BLANKS, text, 0) ?? 0;
  while (at < text.length) {
    const read = readToken(text, at);
    if ('kind' in read) return read;
    tokens.push(read.token);
    at = endOf(BLANKS, text, read.end) ?? read.end;
  }
  return [...tokens, { kind: 'end', offset: text.length }];
}

function readToken(text: string, at: number): Read | ExpressionProblem {
  const first = text.charAt(at);
  if (first === '{') return readPlace(text, at);
  if (first === '"' || first === "'") return readText(text, at, first);
  if (/[-\d.]/.test(first)) return readNumber(text, at);
  const operator = OPERATORS.find((candidate) => text.startsWith(candidate, at));
  if (operator !== undefined)
    return { token: { kind: 'operator', operator, offset: at }, end: at + operator.length };
  return readWord(text, at);
}

function readPlace(text: string, at: number): Read | ExpressionProblem {
  const read = readReference(text, at);
  if (read.kind === 'problem') return read;
  return { token: { kind: 'reference', reference: read.reference, offset: at }, end: read.end };
}

/** Both quotes have the same meaning. The escapes are a quote, a backslash, and n, r and t as in JSON. */
function readText(text: string, start: number, quote: string): Read | ExpressionProblem {
  let value = '';
  for (let at = start + 1; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === quote) return { token: { kind: 'literal', value, offset: start }, end: at + 1 };
    if (character !== '\\') {
      value += character;
      continue;
    }
    at += 1;
    const escaped = ESCAPES.get(text.charAt(at));
    if (escaped === undefined) return problem('after \\ one of \\ " \' n r t expected', at);
    value += escaped;
  }
  return problem(`${quote} expected: the text that begins here does not end`, start);
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\'],
  ['"', '"'],
  ["'", "'"],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

function readNumber(text: string, at: number): Read | ExpressionProblem {
  const end = endOf(NUMBER, text, at);
  if (end === undefined) return problem('a number expected, as in 42, -1.5 or 1e3', at);
  const value = Number(text.slice(at, end));
  if (!Number.isFinite(value)) return problem('the number is too large', at);
  return { token: { kind: 'literal', value, offset: at }, end };
}

function readWord(text: string, at: number): Read | ExpressionProblem {
  const end = endOf(WORD, text, at);
  const word = text.slice(at, end ?? at);
  const value = WORDS.get(word);
  if (end !== undefined && value !== undefined) return { token: { kind: 'literal', value, offset: at }, end };
  return problem(strayMessage(text, at, word), at);
}

function strayMessage(text: string, at: number, word: string): string {
  if (word !== '') return `"${word}": true, false, null, "text" or a reference such as {input.name} expected`;
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const doubled = { '=': '==', '&': '&&', '|': '||' }[character];
  if (doubled !== undefined) return `"${character}" is no operator; "${doubled}" expected`;
  return `${JSON.stringify(character)} cannot stand here`;
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function problem(message: string, offset: number): ExpressionProblem {
  return { kind: 'problem', message, offset };
}
