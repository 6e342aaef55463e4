import { afterEach, expect, test } from 'bun:test';
import { ROUTES } from '@svc/core/api/routes';
import { type BegunRequest, dropBegun, firstReads, takeBegun } from './begun-requests.ts';
import { firstReadsOf } from './first-reads.ts';

const READS = firstReadsOf(ROUTES);
const FRAME = ['/workspace', '/approvals/waiting', '/executions?status=running&limit=20'];

test.each([
  ['/dashboard/executions', '', ['/executions?limit=100']],
  ['/dashboard/executions/', '', ['/executions?limit=100']],
  ['/dashboard/endpoints/say-hello', '', ['/endpoints/say-hello']],
  ['/dashboard/endpoints/%C3%A4', '', ['/endpoints/%C3%A4']],
  // A form of `replace` for the text that was found.
  ['/dashboard/endpoints/$&', '', ['/endpoints/$&']],
  ['/dashboard/pipeline-runs/01a', '', ['/pipeline-runs/01a']],
  [
    '/dashboard/executions/01a',
    '',
    ['/executions/01a?without=result', '/executions/01a/definition', '/executions/01a/artifacts'],
  ],
  // A filter may change what the page reads, and these forms are no endpoint and no pipeline.
  ['/dashboard/executions', '?status=failed', []],
  ['/dashboard/endpoints/new', '', []],
  ['/dashboard/pipelines/new', '', []],
  ['/dashboard/nowhere/at/all', '', []],
])('%s%s begins with the reads of the frame and %p', (pathname, search, page) => {
  expect(firstReads(READS, { pathname, search }, false)).toEqual([...FRAME, ...page]);
});

test('Now begins with all of its reads, each once', () => {
  const reads = firstReads(READS, { pathname: '/dashboard', search: '' }, false);
  expect(reads.length).toBe(10);
  expect(new Set(reads).size).toBe(10);
});

test.each([
  ['/dashboard/executions', '', ['/executions?with=args&limit=100']],
  ['/dashboard/executions', '?status=failed', []],
  ['/dashboard/endpoints/say-hello', '', ['/endpoints/say-hello']],
])('%s%s begins with %p where the list shows the arguments', (pathname, search, page) => {
  expect(firstReads(READS, { pathname, search }, true)).toEqual([...FRAME, ...page]);
});

afterEach(dropBegun);

function begun(...paths: readonly string[]): readonly BegunRequest[] {
  const requests = paths.map(() => ({
    response: Promise.resolve(new Response()),
    abort: new AbortController(),
  }));
  globalThis.svcBegun = new Map(requests.map((request, place) => [paths[place] ?? '', request]));
  return requests;
}

test('the page takes a begun request once, because its response can be read once', () => {
  const [workspace] = begun('/workspace');
  expect(takeBegun('/usage')).toBeUndefined();
  expect(takeBegun('/workspace')).toBe(workspace);
  expect(takeBegun('/workspace')).toBeUndefined();
});

test('the page drops what it has not taken, and nothing takes that later', () => {
  const [workspace, usage] = begun('/workspace', '/usage');
  takeBegun('/workspace');
  dropBegun();
  expect(usage?.abort.signal.aborted).toBe(true);
  expect(workspace?.abort.signal.aborted).toBe(false);
  expect(takeBegun('/usage')).toBeUndefined();
});
