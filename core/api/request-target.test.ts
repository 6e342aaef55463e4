import { expect, test } from 'bun:test';
import { requestTarget } from './request-target.ts';

const table: [url: string, path: string, query: string][] = [
  ['http://localhost:8080/', '/', ''],
  ['http://localhost:8080/hello', '/hello', ''],
  ['http://localhost:8080/hello?', '/hello', ''],
  ['http://localhost:8080/hello?a=1&b=/x?y', '/hello', 'a=1&b=/x?y'],
  ['http://localhost:8080/hello?a=1#part', '/hello', 'a=1'],
  ['http://localhost:8080/hello#part?a=1', '/hello', ''],
  ['http://[::1]:8080/hello', '/hello', ''],
  ['http://localhost:8080//evil/x', '//evil/x', ''],
  ['/hello?a=1', '/hello', 'a=1'],
];
test.each(table)('%s asks for %s with the query "%s"', (url, path, query) => {
  expect(requestTarget(url)).toEqual({ path, query });
});
