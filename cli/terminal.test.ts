import { afterEach, beforeEach, expect, test } from 'bun:test';
import { type FactRow, writeRows } from './terminal.ts';

const ROWS: FactRow[] = [
  { label: 'error', text: 'no', tone: 'error' },
  { label: 'try', text: 'again' },
];
const PLAIN = 'error  no\ntry    again\n';

const { NO_COLOR, TERM } = process.env;
beforeEach(() => {
  delete process.env.NO_COLOR;
  process.env.TERM = 'xterm';
});
afterEach(() => {
  if (NO_COLOR !== undefined) process.env.NO_COLOR = NO_COLOR;
  process.env.TERM = TERM;
});

function written(isTTY: boolean): string {
  let text = '';
  const stream = { isTTY, write: (part: string) => (text += part) } as unknown as NodeJS.WriteStream;
  writeRows(stream, ROWS);
  return text;
}

test('texts stand below each other, with nothing else in a pipe', () => {
  expect(written(false)).toBe(PLAIN);
});

test('a later row aligns with the rows above it', () => {
  let text = '';
  const stream = { write: (part: string) => (text += part) } as unknown as NodeJS.WriteStream;
  const width = writeRows(stream, ROWS);
  writeRows(stream, [{ label: 'on', text: 'later' }], width);
  expect(text).toBe(`${PLAIN}on     later\n`);
});

test('labels have colour on a terminal', () => {
  expect(written(true)).toBe('\x1b[31merror\x1b[0m  no\n\x1b[36mtry\x1b[0m    again\n');
});

test('and none with NO_COLOR or on a dumb terminal', () => {
  process.env.NO_COLOR = '1';
  expect(written(true)).toBe(PLAIN);
  delete process.env.NO_COLOR;
  process.env.TERM = 'dumb';
  expect(written(true)).toBe(PLAIN);
});
