// The stream of a run that another hub has: its output comes from the record, a little later, and whole (decision 29,
// numbered output, and calls between hubs).
import { expect, test } from 'bun:test';
import { hubWorld } from '../hub-world.ts';
import { eventsOf, makePipeline } from '../pipelines.ts';
import { postgresMissing, startPostgres } from '../postgres.ts';

const onPostgres = test.skipIf(postgresMissing !== undefined);

onPostgres('a run is read at a hub that does not have it, whole and in order', async () => {
  await using server = await startPostgres({ syncs: false });
  const env = { DATABASE_URL: await server.createDatabase(), SVC_MASTER_KEY: '7'.repeat(64) };
  await using world = await hubWorld({ env });
  await using other = await hubWorld({ env, index: 1 });
  await using agent = await world.agent({ endpoints: [{ name: 'job', command: 'true' }] });
  await makePipeline(world, {
    slug: 'two',
    trigger: { type: 'manual' },
    nodes: [
      { id: 'one', endpoint: 'job' },
      { id: 'two', endpoint: 'job', needs: ['one'] },
    ],
  });
  const response = await world.call('two', { method: 'POST', headers: { prefer: 'respond-async' } });
  const { run_id: runId } = (await response.json()) as { run_id: string };
  const { execution_id: first } = await agent.receive('run');
  agent.output(first, 1, 'a\n');
  await agent.receive('ack', (frame) => frame.execution_id === first);
  const reading = await fetch(`${other.hub.hubUrl}/pipeline-runs/${runId}/stream`, {
    headers: { authorization: `Bearer ${world.start.accessToken}` },
  });
  const events = eventsOf(reading);
  agent.output(first, 2, 'b\n');
  agent.end(first, 2);
  await agent.answer('c\n');
  expect(await events).toEqual([
    { type: 'output', step: 'one', data: 'a' },
    { type: 'output', step: 'one', data: 'b' },
    { type: 'output', step: 'two', data: 'c' },
    { type: 'done', exit_code: 0, duration_ms: expect.any(Number) },
  ]);
});
