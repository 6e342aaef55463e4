import { expect, test } from 'bun:test';
import type { Store } from '../../build/create-store.ts';
import type { Execution } from '../../executions/execution-ports.ts';
import { killAfterLines, startProcess } from './fixtures/processes.ts';
import { chunk, NOW_MS } from './fixtures/samples.ts';
import { onBothDatabases } from './fixtures/stores.ts';

const ROUNDS = process.env.SVC_TEST_LONG ? 30 : 5;

/** The reports of a process about each execution before it was killed; the last line may be cut off. */
function acknowledged(text: string): Map<string, 'accepted' | 'appended' | 'finished'> {
  const lines = text.matchAll(/^(accepted|appended|finished) ([0-9a-f-]{36})$/gm);
  return new Map([...lines].map(([, what, id]) => [id ?? '', what as 'accepted']));
}

/** NOTE: A server may still commit for a process that is dead; between two equal counts it has not. */
async function allExecutions({ executions }: Store): Promise<Execution[]> {
  for (;;) {
    const before = await executions.quotaUsed('w1', '2026-11');
    const { items } = await executions.list({ workspaceId: 'w1', limit: 100_000 });
    if ((await executions.quotaUsed('w1', '2026-11')) !== before) continue;
    expect(items).toHaveLength(before);
    return items;
  }
}

/** Every execution is whole in itself, whether it was acknowledged or not. */
async function expectNothingHalf(store: Store): Promise<void> {
  const { executions } = store;
  for (const { id, state, lastSeq, storedBytes } of await allExecutions(store)) {
    const output = await executions.output(id, 0, 100);
    expect([0, 2, 4]).toContain(output.length);
    expect(state).toBe(output.length === 4 ? 'succeeded' : 'running');
    expect(output).toEqual(output.map(({ seq }) => chunk(id, seq)));
    expect(lastSeq).toBe(output.length);
    expect(storedBytes).toBe(output.reduce((sum, { sse }) => sum + sse.length, 0));
    const key = { endpointId: 'e1', credential: 'k1', key: id };
    expect(await executions.idempotent(key, NOW_MS)).toEqual({ executionId: id, requestHash: 'r1' });
  }
}

onBothDatabases(({ newLocation, open }) => {
  test('a process killed in the middle of writing leaves all that it acknowledged, and nothing half', async () => {
    const location = await newLocation();
    for (let round = 1; round <= ROUNDS; round += 1) {
      // Sixteen writes are under way at each line, so another line is another moment.
      const lines = 300 + ((round * 37) % 101);
      const text = await killAfterLines(startProcess('writing-process.ts', location), lines);
      await using store = await open(location);
      const said = acknowledged(text);
      expect(said.size).toBeGreaterThan(90);
      for (const [id, what] of said) {
        const execution = await store.executions.find(id);
        if (what === 'finished') expect(execution).toMatchObject({ state: 'succeeded', lastSeq: 4 });
        else expect(execution).toBeDefined();
        if (what === 'appended') expect(execution?.lastSeq).toBeGreaterThanOrEqual(2);
      }
      await expectNothingHalf(store);
    }
  }, 120_000);
});
