import { arrayOf } from '../json-writer.ts';
import { splitLines } from '../split-lines.ts';
import { Unreadable } from '../unreadable.ts';
import { findJsonProblem } from './find-json-problem.ts';

/** One JSON value; its text is kept but for the white space around values. */
export function parseJson(text: string): string {
  check(text, 1);
  return compactJson(text);
}

/** One JSON value per line, blank lines skipped: an array of them. */
export function parseNdjson(text: string): string {
  return arrayOf(valuesOf(splitLines(text)));
}

function* valuesOf(lines: readonly string[]): Generator<string> {
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    check(line, index + 1);
    yield compactJson(line);
  }
}

/** The engine's parser is fast but does not report where it stopped, so only text that it refuses is parsed again. */
function check(text: string, firstLine: number): void {
  try {
    JSON.parse(text);
  } catch (error) {
    throw new Unreadable(findJsonProblem(text, firstLine) ?? (error as Error).message);
  }
}

/** Valid JSON text without the white space between its tokens: one line, every digit and escape as it was written. */
function compactJson(text: string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('"', at);
    const between = text.slice(at, open < 0 ? text.length : open);
    parts.push(between.replace(/[ \t\n\r]+/g, ''));
    if (open < 0) break;
    at = endOfString(text, open);
    parts.push(text.slice(open, at));
  }
  return parts.join('');
}

function endOfString(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return close + 1;
}

/** An odd number of backslashes stands before it. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}
