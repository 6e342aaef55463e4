import { expect, test } from 'bun:test';
import { OutputPage, type OutputQuery } from './output-page.ts';

function pageOf(query: Partial<OutputQuery>, pieces: readonly string[]) {
  const page = new OutputPage({ fromLine: 1, lines: 10, grep: undefined, ...query });
  for (const piece of pieces) page.add(piece);
  return page.end();
}

const TEXT = 'a1\nb2\na3\nb4\na5';

test.each([
  ['all of it', {}, { text: TEXT, nextLine: undefined, count: 5 }],
  ['some lines', { fromLine: 2, lines: 2 }, { text: 'b2\na3', nextLine: 4, count: 2 }],
  ['the last lines', { fromLine: 4 }, { text: 'b4\na5', nextLine: undefined, count: 2 }],
  [
    'lines with a text, by their number',
    { grep: 'a' },
    { text: '1: a1\n3: a3\n5: a5', nextLine: undefined, count: 3 },
  ],
  ['the first of them', { grep: 'a', lines: 1 }, { text: '1: a1', nextLine: 3, count: 1 }],
  ['nothing past the end', { fromLine: 9 }, { text: '', nextLine: undefined, count: 0 }],
])('a page has %s, however the output is cut', (_, query, wanted) => {
  expect(pageOf(query, [TEXT])).toEqual(wanted);
  expect(pageOf(query, [...TEXT])).toEqual(wanted);
});
