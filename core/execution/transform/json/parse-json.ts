import { arrayOf } from '../json-writer.ts';
import { splitLines } from '../split-lines.ts';
import { Unreadable } from '../unreadable.ts';
import { compactJson } from './compact-json.ts';
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
