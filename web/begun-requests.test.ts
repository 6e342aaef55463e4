import { expect, test } from 'bun:test';
import { ROUTES } from '@svc/core/api/routes';
import { firstReads } from './begun-requests.ts';
import { firstReadsOf } from './first-reads.ts';

const READS = firstReadsOf(ROUTES);
const FRAME = ['/workspace', '/approvals/waiting', '/executions?status=running&limit=20'];

test.each([
  ['/dashboard/executions', '', ['/executions?limit=100']],
  ['/dashboard/executions/', '', ['/executions?limit=100']],
  ['/dashboard/endpoints/say-hello', '', ['/endpoints/say-hello']],
  ['/dashboard/endpoints/%C3%A4', '', ['/endpoints/%C3%A4']],
  ['/dashboard/pipeline-runs/01a', '', ['/pipeline-runs/01a']],
  ['/dashboard/executions/01a', '', ['/executions/01a?without=result', '/executions/01a/definition']],
  // A filter may change what the page reads, and these forms are no endpoint and no pipeline.
  ['/dashboard/executions', '?status=failed', []],
  ['/dashboard/endpoints/new', '', []],
  ['/dashboard/pipelines/new', '', []],
  ['/dashboard/nowhere/at/all', '', []],
])('%s%s begins with the reads of the frame and %p', (pathname, search, page) => {
  expect(firstReads(READS, { pathname, search })).toEqual([...FRAME, ...page]);
});

test('Now begins with all of its reads, each once', () => {
  const reads = firstReads(READS, { pathname: '/dashboard', search: '' });
  expect(reads.length).toBe(10);
  expect(new Set(reads).size).toBe(10);
});
