import { type AwaitedBody, notUnderstood, type Reader, textSince, valueHere } from './reader.ts';
import { refuseValue } from './value.ts';

/** Reads the here-documents whose operators stood on the line that just ended. */
export function readAwaitedBodies(reader: Reader): void {
  const bodies = reader.awaitedBodies;
  reader.awaitedBodies = [];
  for (const body of bodies) readBody(reader, body);
}

function readBody(reader: Reader, body: AwaitedBody): void {
  const start = reader.at;
  while (reader.at < reader.end) {
    const lineStart = reader.at;
    const newline = reader.text.indexOf('\n', lineStart);
    const lineEnd = newline === -1 || newline >= reader.end ? reader.end : newline;
    const line = reader.text.slice(lineStart, lineEnd);
    if ((body.stripsTabs ? line.replace(/^\t+/, '') : line) === body.delimiter) {
      finishBody(reader, body, start);
      reader.at = Math.min(lineEnd + 1, reader.end);
      return;
    }
    reader.at = Math.min(lineEnd + 1, reader.end);
  }
  finishBody(reader, body, start);
}

/** Shells disagree where the body ends when commands stand in it, or when a line of it is continued. */
const DISPUTED = /`|\$\(|\$\{(?![A-Za-z_][A-Za-z0-9_]*\})|\\\n/;
const VARIABLE = /\$\{?([A-Za-z_][A-Za-z0-9_]*)/g;

function finishBody(reader: Reader, body: AwaitedBody, start: number): void {
  const end = reader.at;
  const text = textSince(reader, start);
  for (reader.at = start; reader.at < end; reader.at++) {
    const value = valueHere(reader);
    if (value !== undefined) refuseValue(reader, value, 'here-document');
  }
  reader.flows.push({ source: { start, end }, consumer: body.consumer });
  if (!body.expands) return;
  if (DISPUTED.test(text)) {
    throw notUnderstood(
      reader,
      start,
      `commands and continued lines in a here-document are not checked: quote its delimiter, '${body.delimiter}'`,
    );
  }
  for (const match of text.matchAll(VARIABLE)) {
    const at = start + match.index;
    reader.references.push({ name: match[1] ?? '', start: at, end: at + match[0].length, evaluated: false });
  }
}
