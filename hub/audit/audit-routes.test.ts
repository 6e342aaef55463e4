import { expect, test } from 'bun:test';
import type { AuditRecord } from '@svc/core/audit/entry';
import type { Watch } from '../http/watch-caller.ts';
import type { ReadPacer } from '../platform/read-pacer.ts';
import { exportedLines } from './audit-routes.ts';

function record(seq: number): AuditRecord {
  const entry = {
    workspaceId: 'w',
    atMs: 0,
    action: 'secret.set',
    actor: { kind: 'member', id: 'u', name: 'ada@example.com' },
    from: { address: undefined, userAgent: undefined },
    target: { kind: 'secret', id: 'S', name: 'S' },
    details: {},
  } as const;
  return { entry, seq, previousHash: '', hash: '' };
}

const pacer: Pick<ReadPacer, 'run'> = { run: async (_workspaceId, work) => await work() };

/** A log with that many entries. */
function logOf(count: number) {
  return {
    recordsAfter: async (_workspaceId: string, seq: number, limit: number) =>
      Array.from({ length: Math.min(limit, count - seq) }, (_, at) => record(seq + at + 1)),
  };
}

test('exports all lines in order, and then stops watching the reader', async () => {
  let isWatched = true;
  const lines = exportedLines(logOf(1_000), 'w', {
    watch: () => () => {
      isWatched = false;
    },
    pacer,
  });
  const text = await new Response(lines).text();
  const seqs = text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { seq: number }).seq);
  expect(seqs).toEqual(Array.from({ length: 1_000 }, (_, at) => at + 1));
  expect(isWatched).toBe(false);
});

test('an export breaks off when its reader loses access', async () => {
  let end = () => {};
  const watch: Watch = (stop) => {
    end = stop;
    return () => undefined;
  };
  const lines = exportedLines(logOf(1_000_000), 'w', { watch, pacer });
  const reader = lines.getReader();
  await reader.read();
  end();
  const rest = async () => {
    for (let pieces = 0; pieces < 5; pieces += 1) await reader.read();
  };
  expect(await rest().catch((error: unknown) => error)).toMatchObject({ code: 'unauthorized' });
});

test('a reader who disconnects is no longer watched', async () => {
  let isWatched = true;
  const lines = exportedLines(logOf(1_000_000), 'w', {
    watch: () => () => {
      isWatched = false;
    },
    pacer,
  });
  const reader = lines.getReader();
  await reader.read();
  await reader.cancel();
  expect(isWatched).toBe(false);
});
