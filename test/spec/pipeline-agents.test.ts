// Which agents a pipeline may name: those that are or were here (decision 40, the definition of a pipeline), also one whose
// coming is not on record yet.
import { afterEach, expect, test } from 'bun:test';
import { KnownAgents } from '@svc/hub/agents/store/agent-store';
import { EngineRuns } from '../engine-runs.ts';

const { connected } = KnownAgents.prototype;
afterEach(() => {
  KnownAgents.prototype.connected = connected;
});

test('a pipeline may name an agent as soon as it is connected, and run on it', async () => {
  const record = Promise.withResolvers<void>();
  KnownAgents.prototype.connected = async function (this: KnownAgents, ...given) {
    await record.promise;
    return await connected.apply(this, given);
  };
  const job = { name: 'job', command: 'true' };
  await using runs = await EngineRuns.make([job]);
  await using fresh = await runs.world.agent({
    endpoints: [{ ...job, name: 'own' }],
    name: 'fresh',
    instance: crypto.randomUUID(),
  });
  const id = await runs.begin('named', [{ id: 'one', endpoint: 'own', agent_name: 'fresh' }]);
  await runs.play('one', { agent: fresh });
  record.resolve();
  expect((await runs.ended(id)).status).toBe('succeeded');
});
