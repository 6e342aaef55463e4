import { expect, test } from 'bun:test';
import type { ReadPacer } from '../../platform/read-pacer.ts';
import { streamRange } from './stream-range.ts';

/** The workspaces that had to wait for their turn to read. */
async function pacedFor(query: Parameters<typeof streamRange>[3], headers: Record<string, string> = {}) {
  const paced: string[] = [];
  const readPacer: Pick<ReadPacer, 'run'> = {
    async run(workspaceId, work) {
      paced.push(workspaceId);
      return await work();
    },
  };
  const request = new Request('http://hub/', { headers });
  const ledger = { outputBack: () => Promise.resolve([]) };
  await streamRange({ ledger, readPacer }, { id: 'execution', workspaceId: 'w1' }, request, query);
  return paced;
}

test('a search for the last events of all waits for its turn, and no other stream does', async () => {
  expect(await pacedFor({ last: 1 })).toEqual(['w1']);
  expect(await pacedFor({ last: 1, before: '7.1' })).toEqual([]);
  expect(await pacedFor({ before: '7.1' })).toEqual([]);
  expect(await pacedFor({ after: '7.1' })).toEqual([]);
  expect(await pacedFor({ last: 1 }, { 'last-event-id': '7.1' })).toEqual([]);
});
