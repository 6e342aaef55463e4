import { describe, expect, test } from 'bun:test';
import { matchingLine, searchWords } from './words.ts';

describe('searchWords', () => {
  const examples: [string, string[]][] = [
    ['Connection REFUSED: 10.0.0.1', ['connection', 'refused', '10', '0', '1']],
    ['snake_case kebab-case', ['snake_case', 'kebab', 'case']],
    ['Größe 東京', ['größe', '東京']],
    [`"quoted" 'x' AND (a OR b)* :w1`, ['quoted', 'x', 'and', 'a', 'or', 'b', 'w1']],
    ['\u0000\u001b[31mred\u001b[0m', ['red']],
    ['…!', []],
  ];
  test.each(examples)('%j: %j', (text, words) => {
    expect(searchWords(text)).toEqual(words);
  });

  test('cuts long words, and never into half a character', () => {
    expect(searchWords('a'.repeat(100))).toEqual(['a'.repeat(40)]);
    expect(searchWords(`a${'𝒳'.repeat(40)}`)[0]?.isWellFormed()).toBe(true);
  });
});

describe('matchingLine', () => {
  const lines = ['refused by the pool', 'pool: connection timed out, refused', 'Connection refused by db-1'];

  test('prefers the text, then all words, then one', () => {
    expect(matchingLine(lines, 'connection REFUSED ')).toBe('Connection refused by db-1');
    expect(matchingLine(lines, 'refused connection')).toBe('pool: connection timed out, refused');
    expect(matchingLine(lines, 'pool db')).toBe('refused by the pool');
    expect(matchingLine(lines, 'other')).toBeUndefined();
  });

  test('shows a part of a long line', () => {
    const line = matchingLine([`${'x '.repeat(500)}needle${' y'.repeat(500)}`], 'needle') ?? '';
    expect(line).toContain('needle');
    expect(line.length).toBe(202);
    expect(line).toStartWith('…');
    expect(line).toEndWith('…');
  });
});
