// The store cannot write: nothing runs, what runs is recorded later, and health says why (decision 14).

import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';

let world: HubWorld;
let agent: ScriptedAgent;
beforeEach(async () => {
  world = await hubWorld();
  agent = await world.agent({ endpoints: [{ name: 'job', command: 'true' }] });
});
afterEach(() => world[Symbol.asyncDispose]());

/** Holds the write lock of the database, as a backup tool that went wrong would. */
function lock(): () => void {
  const database = new Database(join(world.dataDir, 'svc.db'));
  database.run('BEGIN IMMEDIATE');
  return () => {
    database.run('ROLLBACK');
    database.close();
  };
}

test('a call is 503 and runs nothing; afterwards everything works, with nothing to repair', async () => {
  const unlock = lock();
  const response = await world.call('job');
  expect([
    response.status,
    response.headers.get('retry-after'),
    ((await response.json()) as { code: string }).code,
  ]).toEqual([503, expect.any(String), 'unavailable']);
  const health = await fetch(`${world.hub.hubUrl}/health`);
  expect([health.status, await health.json()]).toEqual([
    503,
    expect.objectContaining({ status: 'failing', store: expect.stringContaining('lock') }),
  ]);
  expect((await fetch(`${world.hub.hubUrl}/ready`)).status).toBe(503);
  expect(agent.unheard('run')).toBe(0);
  unlock();
  const called = world.call('job');
  await agent.answer('x\n');
  expect((await called).status).toBe(200);
  expect((await fetch(`${world.hub.hubUrl}/health`)).status).toBe(200);
});

test('what runs goes on and is recorded and answered when the store is back; until then nothing is acknowledged', async () => {
  const called = world.call('job');
  const { execution_id: id } = await agent.hear('run');
  const unlock = lock();
  agent.output(id, 1, 'kept\n');
  agent.end(id, 1);
  // The probe of the health goes the same way as the execution's end, and behind it.
  expect((await fetch(`${world.hub.hubUrl}/health`)).status).toBe(503);
  expect([agent.unheard('ack'), agent.unheard('ended_ack')]).toEqual([0, 0]);
  unlock();
  expect(await (await called).json()).toEqual({ output: 'kept\n', exit_code: 0 });
  await agent.hear('ended_ack', (frame) => frame.execution_id === id);
});
