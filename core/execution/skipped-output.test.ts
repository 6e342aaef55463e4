import { expect, test } from 'bun:test';
import { encodeSkipped, readSkipped } from './skipped-output.ts';

const dataOf = (event: string) => event.slice('data: '.length).trimEnd();

test.each([
  { events: 3, lines: 5, cut: undefined, isRaw: true },
  { events: 3, lines: 3, cut: { afterLines: 0, lines: 0 }, isRaw: undefined },
] as const)('%j is read as it was written', (skipped) => {
  expect(readSkipped(dataOf(encodeSkipped(skipped)))).toEqual(skipped);
});

test.each([
  '{"type":"output","data":"x"}',
  '{"type":"skipped","events":-1,"lines":1}',
  '{"type":"skipped","events":1}',
])('%s is none', (json) => {
  expect(readSkipped(json)).toBeUndefined();
});
