import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { LineLog } from './line-log.ts';
import { LogSearch } from './log-search.ts';

const always = () => true;

function logOf(lines: readonly string[], limit = 1_000): LineLog {
  const log = new LineLog({ lines: limit, chars: 1_000_000 });
  for (const line of lines) log.append(line);
  return log;
}

function searched(log: LineLog, query: string): LogSearch {
  const search = new LogSearch(log, query);
  search.advance(always);
  return search;
}

describe('a search in output', () => {
  test('counts each place, and finds it by its number', () => {
    const search = searched(logOf(['error: error', 'fine', 'Error']), 'error');
    expect(search.total).toBe(3);
    expect([0, 1, 2, 3, -1].map((ordinal) => search.at(ordinal))).toEqual([
      { line: 0, nth: 0 },
      { line: 0, nth: 1 },
      { line: 2, nth: 0 },
      undefined,
      undefined,
    ]);
    expect([0, 1, 2, 3].map((line) => search.firstFrom(line))).toEqual([0, 2, 2, 0]);
  });

  test('respects capitals in the search text', () => {
    expect(searched(logOf(['error', 'Error', 'ERROR']), 'Error').total).toBe(1);
  });

  test('searches the shown text, not the colours in between', () => {
    expect(searched(logOf(['er\u001b[31mror\u001b[0m']), 'error').total).toBe(1);
    expect(searched(logOf(['\u001b[31mred']), '31').total).toBe(0);
  });

  test.each(['.*', '[', '\\', 'a-b', '(?:', '$', '{1}', '/', '^', '#'])('takes %j as text', (query) => {
    const search = searched(logOf([`x${query}y`, 'nothing']), query);
    expect(search.total).toBe(1);
    expect(search.rangesIn(`x${query}y`)).toEqual([{ from: 1, to: 1 + query.length }]);
  });

  test('continues with later lines, a slice at a time', () => {
    const log = logOf(Array.from({ length: 500 }, () => 'hit'));
    const search = new LogSearch(log, 'hit');
    const answers = [true];
    expect(search.advance(() => answers.pop() ?? false)).toBe(true);
    expect([search.total, search.isComplete]).toEqual([200, false]);
    search.advance(always);
    log.append('hit');
    expect(search.isComplete).toBe(false);
    search.advance(always);
    expect(search.total).toBe(501);
  });

  test('forgets lines that the log has dropped', () => {
    const log = logOf(
      Array.from({ length: 100 }, (_, line) => `hit hit ${line}`),
      100,
    );
    const search = searched(log, 'hit');
    log.append('hit');
    search.advance(always);
    expect(log.first).toBe(26);
    expect(search.total).toBe((100 - 26) * 2 + 1);
    expect(search.at(0)).toEqual({ line: 26, nth: 0 });
    expect(search.at(search.total - 1)).toEqual({ line: 100, nth: 0 });
  });

  test('numbers the places as they stand, whatever they are', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[ab]{0,6}$/), { maxLength: 30 }), (lines) => {
        const search = searched(logOf(lines), 'ab');
        const expected = lines.flatMap((line, index) =>
          [...line.matchAll(/ab/g)].map((_, nth) => ({ line: index, nth })),
        );
        const found = Array.from({ length: search.total }, (_, ordinal) => search.at(ordinal));
        expect(found as unknown[]).toEqual(expected);
      }),
    );
  });
});
