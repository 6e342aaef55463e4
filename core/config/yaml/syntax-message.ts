import type { UnreadableText } from './readable-text.ts';

/** An error of the YAML library; `code` is the library's own, or UNCLOSED_QUOTE. */
export interface Mistake {
  readonly code: string;
  readonly message: string;
  readonly offset: number;
}

interface Scene extends Mistake {
  /** The whole line with the mistake. */
  readonly line: string;
  readonly lineStart: number;
}

/** Describes the mistake and its fix; undefined when another explanation fits better. */
type Explanation = (scene: Scene) => UnreadableText | undefined;

/** The first one that answers wins: what the line shows is clearer than the library's error. */
const EXPLANATIONS: readonly Explanation[] = [tabIndents, quotesNeeded, textAfterQuote, byCode];

/** Explains an error of the YAML parser to a person with little knowledge of YAML. */
export function explainMistake(text: string, mistake: Mistake): UnreadableText {
  const lineStart = text.lastIndexOf('\n', mistake.offset - 1) + 1;
  const lineEnd = text.indexOf('\n', lineStart);
  const line = text.slice(lineStart, lineEnd === -1 ? text.length : lineEnd);
  const scene = { ...mistake, line, lineStart };
  for (const explain of EXPLANATIONS) {
    const problem = explain(scene);
    if (problem) return problem;
  }
  return { offset: mistake.offset, message: `not YAML: ${clip(mistake.message)}` };
}

function tabIndents({ line, lineStart }: Scene): UnreadableText | undefined {
  const tab = /^ *\t/.exec(line);
  if (!tab) return undefined;
  return {
    offset: lineStart + tab[0].length - 1,
    message: 'a tab indents this line; YAML takes spaces only',
  };
}

// To YAML, a cron expression that begins with a star is an alias, and `{{tool}} x` begins a map.
function quotesNeeded({ code, line, lineStart }: Scene): UnreadableText | undefined {
  const [, lead = '', value = ''] = /^(\s*(?:-\s+)*[\w-]+:[ \t]+)([*&!%@`].*|\{\{.*)$/.exec(line) ?? [];
  if (value === '' || code === 'UNCLOSED_QUOTE') return undefined;
  const message = `a value that begins with "${value[0]}" needs quotes: ${quote(value)}`;
  return { offset: lineStart + lead.length, message };
}

function textAfterQuote({ code, line, lineStart, offset }: Scene): UnreadableText | undefined {
  const [, lead, value = ''] = /^(\s*(?:-\s+)*[\w-]+:[ \t]+)(["'].*)$/.exec(line) ?? [];
  if (lead === undefined || code !== 'UNEXPECTED_TOKEN') return undefined;
  const fix = `quote the whole value: ${quote(value)}`;
  return { offset: Math.max(offset, lineStart), message: `text after the closing quote; ${fix}` };
}

function byCode({ code, message, offset, line, lineStart }: Scene): UnreadableText | undefined {
  const rest = line.slice(offset - lineStart);
  switch (code) {
    case 'UNCLOSED_QUOTE':
      return { offset, message: `the quote ${rest.slice(0, 1)} that opens here is never closed` };
    case 'TAB_AS_INDENT':
      return { offset, message: 'a tab where YAML takes spaces only' };
    case 'BLOCK_AS_IMPLICIT_KEY':
      return { offset, message: nestedMapping(rest) };
    case 'MULTILINE_IMPLICIT_KEY':
      return { offset, message: 'no key here: a key needs a colon and a space after it' };
    case 'BAD_INDENT':
      return { offset, message: badIndent(message) };
    case 'BAD_DQ_ESCAPE':
      return {
        offset,
        message: `"${rest.slice(0, 2)}" is no escape of double quotes; use single quotes, or "\\\\"`,
      };
    case 'TAG_RESOLVE_FAILED':
      return { offset, message: `${clip(message)}; quote a value that begins with "!"` };
    case 'UNEXPECTED_TOKEN':
      return misplaced(message, line, offset);
    case 'MISSING_CHAR':
      return missingCharacter(message, offset);
    default:
      return undefined;
  }
}

function misplaced(message: string, line: string, offset: number): UnreadableText | undefined {
  if (message.includes('block-seq-ind'))
    return { offset, message: 'a list begins on the line after its key' };
  const [, marker] = /:[ \t]+([|>])/.exec(line) ?? [];
  return marker ? { offset, message: `the text of "${marker}" begins on the next line` } : undefined;
}

function nestedMapping(rest: string): string {
  if (!/:(?:\s|$)/.test(rest)) return 'the line after this one is indented too deep';
  return `a value that holds ": " needs quotes: ${quote(rest)}`;
}

function badIndent(message: string): string {
  const open = /end with a (.)$/.exec(message);
  if (open) return `${open[1] === ']' ? 'a list' : 'a map'} is not closed with "${open[1]}"`;
  return 'indentation: this line does not line up with the ones that it belongs to';
}

function missingCharacter(message: string, offset: number): UnreadableText | undefined {
  if (message.startsWith('Comments')) return { offset, message: 'a comment needs a space before the "#"' };
  if (message.startsWith('Sequence item')) return { offset, message: badIndent(message) };
  if (message.startsWith('Implicit map keys')) {
    return { offset, message: 'no key here: a key needs a colon and a space after it' };
  }
  return undefined;
}

/** The value in the kind of quotes that needs the fewest escapes. */
function quote(value: string): string {
  const text = value.trim();
  const quoted = text.includes("'") && !/["\\]/.test(text) ? `"${text}"` : `'${text.replaceAll("'", "''")}'`;
  return clip(quoted);
}

function clip(text: string): string {
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
