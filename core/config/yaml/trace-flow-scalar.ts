import type { CST } from 'yaml';

const ESCAPE = /\\(?:\n[ \t]*|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[\s\S])/y;
const SPACES = /[ \t\n]+/y;

/** Single-letter escapes of double quotes; any other character stands for itself (YAML 1.2.2, 5.7). */
const LETTERS: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};

/** Writes a scalar's text again, noting for each code unit where in the file it came from. */
class Trace {
  text = '';
  readonly offsets: number[] = [];

  /** Characters that stand in the file as they are. */
  copy(text: string, offset: number): void {
    for (let i = 0; i < text.length; i++) this.offsets.push(offset + i);
    this.text += text;
  }

  /** Characters that one place in the file stands for. */
  put(text: string, offset: number): void {
    for (let i = 0; i < text.length; i++) this.offsets.push(offset);
    this.text += text;
  }
}

/** The offset in the file of each code unit of a plain or quoted scalar, and of its end; undefined if `text` is not its text. */
export function traceFlowScalar(token: CST.FlowScalar, text: string): readonly number[] | undefined {
  const { type, source, offset } = token;
  const trace = new Trace();
  if (type === 'double-quoted-scalar') traceDoubleQuoted(trace, source, offset);
  else if (type === 'single-quoted-scalar')
    traceLines(trace, source.slice(1, -1), offset + 1, copySingleQuoted);
  else traceLines(trace, source, offset, copyPlain);
  const end = offset + source.length - (type === 'scalar' ? 0 : 1);
  return trace.text === text ? [...trace.offsets, end] : undefined;
}

type CopyLine = (trace: Trace, line: string, offset: number) => void;

/** Lines lose the spaces around their breaks; the first and the last line keep those at the ends of the scalar. */
function traceLines(trace: Trace, source: string, base: number, copyLine: CopyLine): void {
  const lines = source.split('\n');
  let offset = base;
  let breaks = 0;
  for (const [index, line] of lines.entries()) {
    const isLast = index === lines.length - 1;
    const indent = index === 0 ? 0 : line.length - line.replace(/^[ \t]+/, '').length;
    const content = isLast ? line.slice(indent) : line.slice(indent).replace(/(?<![ \t])[ \t]+$/, '');
    if (content !== '' || index === 0 || isLast) {
      trace.put(folded(breaks), offset - 1);
      copyLine(trace, content, offset + indent);
      breaks = 0;
    }
    breaks += 1;
    offset += line.length + 1;
  }
}

/** One line break is a space; each further one, without content between, is a line feed. */
function folded(breaks: number): string {
  if (breaks === 0) return '';
  return breaks === 1 ? ' ' : '\n'.repeat(breaks - 1);
}

function copyPlain(trace: Trace, line: string, offset: number): void {
  trace.copy(line, offset);
}

function copySingleQuoted(trace: Trace, line: string, offset: number): void {
  for (const { 0: piece, index } of line.matchAll(/''?|[^']+/g)) {
    if (piece.startsWith("'")) trace.put("'", offset + index);
    else trace.copy(piece, offset + index);
  }
}

function traceDoubleQuoted(trace: Trace, source: string, base: number): void {
  let at = 1;
  while (at < source.length - 1) {
    const escaped = match(ESCAPE, source, at);
    const spaces = match(SPACES, source, at);
    const piece = escaped ?? spaces ?? (source[at] as string);
    if (escaped) trace.put(characterOf(escaped), base + at);
    else if (spaces?.includes('\n')) trace.put(folded(spaces.split('\n').length - 1), base + at);
    else trace.copy(piece, base + at);
    at += piece.length;
  }
}

function characterOf(sequence: string): string {
  const letter = sequence[1] as string;
  if (letter === '\n') return '';
  if (sequence.length === 2) return LETTERS[letter] ?? letter;
  const code = Number.parseInt(sequence.slice(2), 16);
  return code > 0x10ffff ? sequence : String.fromCodePoint(code);
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
