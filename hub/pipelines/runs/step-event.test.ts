import { expect, test } from 'bun:test';
import { join } from 'node:path';
import type { StepField } from '@svc/core/pipeline/reference/reference';
import { refuse } from '@svc/core/refusal';
import { temporaryFolder } from '../../../test/temporary-folder.ts';
import { createStore } from '../../build/create-store.ts';
import { StoreDamaged } from '../../platform/db/damage.ts';
import { chunk, newExecution, STORE_OPTIONS, succeeded } from '../../platform/db/fixtures/samples.ts';
import { stepEvent } from './step-event.ts';

const step = { runId: 'r', id: 'one', attempt: 1, env: {}, agentName: undefined };

/** The event of a step's end, with a limit for its kept result. */
async function endOf(data: string | undefined, field: StepField, maxBytes: number) {
  await using folder = await temporaryFolder();
  await using store = await createStore({ kind: 'sqlite', file: join(folder.path, 'x.db') }, STORE_OPTIONS);
  const execution = newExecution({ workspaceId: 'w' });
  const { id } = execution;
  await store.executions.accept(execution);
  await store.executions.finish(succeeded(id, { data }), [
    chunk(id, 1, 'äöü'.repeat(10)),
    chunk(id, 2, 'more'),
  ]);
  const ended = { ...execution, id, step, state: 'succeeded', exitCode: 0, data, error: undefined } as const;
  const kept = { fields: new Set([field]), maxBytes };
  return await stepEvent(store.executions, ended, kept, 1);
}

test('the kept output of a step is cut to the limit at a character boundary', async () => {
  expect(await endOf(undefined, 'output', 9)).toMatchObject({ outcome: 'succeeded', output: 'äöüä' });
  expect(await endOf(undefined, 'output', 1_000)).toMatchObject({ output: `${'äöü'.repeat(10)}\nmore\n` });
  expect(await endOf(undefined, 'exit_code', 1_000)).not.toHaveProperty('output');
});

test('the data of a step is kept whole, or the step fails', async () => {
  expect(await endOf('{"x":[1]}', 'data', 9)).toMatchObject({ outcome: 'succeeded', data: { x: [1] } });
  const failed = await endOf('{"x":[1]}', 'data', 8);
  expect(failed).toMatchObject({
    outcome: 'failed',
    error: 'its data has more than 8 bytes, and later nodes refer to it',
  });
  expect(failed).not.toHaveProperty('data');
});

test.each([
  ['is no JSON', '{'],
  ['cannot be written again', `${'['.repeat(300_000)}${']'.repeat(300_000)}`],
])('data that %s fails its step instead of keeping its run from ending', async (_what, data) => {
  expect(await endOf(data, 'data', 1_000_000)).toMatchObject({
    outcome: 'failed',
    error: 'its data is no JSON that can be kept, and later nodes refer to it',
  });
});

test('damaged output fails its step; an unavailable store does not', async () => {
  const execution = { ...newExecution({ workspaceId: 'w' }), id: 'e', step, state: 'succeeded' } as const;
  const kept = { fields: new Set<StepField>(['output']), maxBytes: 10 };
  const readWith = (failure: Error) => {
    const ledger = { output: () => Promise.reject(failure) };
    const ended = { ...execution, exitCode: 0, data: undefined, error: undefined };
    return stepEvent(ledger, ended, kept, 1).catch((error) => error.message);
  };
  expect(await readWith(new StoreDamaged('stored output is damaged'))).toMatchObject({
    kind: 'step_ended',
    outcome: 'failed',
    error: 'its stored output is damaged, and later nodes refer to it',
  });
  expect(await readWith(refuse('unavailable', 'no answer'))).toBe('no answer');
});
