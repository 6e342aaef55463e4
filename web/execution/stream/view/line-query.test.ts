import { expect, test } from 'bun:test';
import { isSearch, lineOfQuery } from './line-query.ts';

test.each([
  ['', undefined, false],
  [':', undefined, false],
  [':1', 1, false],
  [':120', 120, false],
  [':1234567890', undefined, true],
  ['120', undefined, true],
  [':x', undefined, true],
  ['error', undefined, true],
])('the query "%s" names line %p; it is text to search for: %p', (query, line, searches) => {
  expect([lineOfQuery(query), isSearch(query)]).toEqual([line, searches]);
});
