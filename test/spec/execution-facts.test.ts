// The record of a call (decision 20, asynchronous calls and records): who made it, with which values, and that without its
// result.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type HubWorld, hubWorld } from '../hub-world.ts';

let world: HubWorld;
beforeAll(async () => {
  world = await hubWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const ENDPOINT = {
  name: 'job',
  command: 'job {{target}}',
  args: [
    { name: 'target', default: 'eu' },
    { name: 'token', secret: true },
  ],
};

async function facts(id: string, query = ''): Promise<Record<string, unknown>> {
  return (await (await world.manage(`/executions/${id}${query}`)).json()) as Record<string, unknown>;
}

test('an execution shows the given values, and hides the value of a secret', async () => {
  const agent = await world.agent({ endpoints: [ENDPOINT] });
  const body = JSON.stringify({ endpoint: 'job', args: { target: 'us', token: 'hunter2' } });
  const started = await world.manage('/executions', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
  const { execution_id: id } = (await started.json()) as { execution_id: string };
  await agent.answer('out\n');
  await (await world.manage(`/executions/${id}/stream`)).text();
  const whole = await facts(id);
  expect(whole).toMatchObject({
    args: { target: 'us', token: null },
    output: 'out\n',
    requested_by: expect.stringContaining('@'),
  });
  const { output: _left, ...rest } = whole;
  expect(await facts(id, '?without=result')).toEqual(rest);
});

test('an execution shows which key called, also when the key is revoked', async () => {
  const agent = await world.agent({ endpoints: [{ ...ENDPOINT, name: 'other' }] });
  const called = world.call('other', { method: 'POST' });
  await agent.answer('out\n');
  const id = (await called).headers.get('x-execution-id') ?? '';
  expect(await facts(id)).toMatchObject({
    args: {},
    requested_by: expect.stringMatching(/^key "svc up" of /),
  });
  const keys = (await (await world.manage('/api-keys')).json()) as { items: { id: string }[] };
  await world.manage(`/api-keys/${keys.items[0]?.id}`, { method: 'DELETE' });
  expect(await facts(id)).toMatchObject({ requested_by: expect.stringContaining('svc up') });
});
