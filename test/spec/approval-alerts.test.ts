// Alerts about pending calls, for people and for callers: reference 6, decision 35, an approval is frozen, and decision 39,
// alerts. Real receivers.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { Receiver } from '@svc/hub/alerts/fixtures/receiver';
import { Approvals } from '../approvals.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';

let world: HubWorld;
let receiver: Receiver;
let approvals: Approvals;
beforeEach(async () => {
  world = await hubWorld({ env: { SVC_ALERT_PRIVATE_NETWORKS: '127.0.0.0/8' } });
  receiver = new Receiver();
  approvals = new Approvals(world);
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const HELD = {
  name: 'deploy',
  command: 'deploy {{target}}',
  approval_required: true,
  args: [{ name: 'target', type: 'text', default: 'eu' }],
};

async function rule(events: readonly string[], channel = 'webhook'): Promise<void> {
  const wanted = { name: 'mine', events, channel, target: receiver.url };
  const response = await world.manage('/alerts', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(wanted),
  });
  expect(response.status).toBe(201);
}

test('a pending call is announced with its command and the link of the decision, and then with its decision', async () => {
  await rule(['approval.pending', 'approval.decided']);
  await world.agent({ endpoints: [HELD] });
  const call = await approvals.callForApproval('deploy?target=us');
  await receiver.until(1);
  await approvals.decide(call.approval_id, 'approve', 'go');
  await receiver.until(2);
  const received = receiver.bodies as unknown as {
    type: string;
    url?: string;
    data: Record<string, unknown>;
  }[];
  expect(received.map(({ type }) => type)).toEqual(['approval.pending', 'approval.decided']);
  expect(received[0]).toMatchObject({
    url: call.approve_url,
    data: {
      approval_id: call.approval_id,
      execution_id: call.executionId,
      endpoint: 'deploy',
      command: 'deploy us',
      requested_by: expect.stringContaining('key "'),
    },
  });
  expect(received[1]?.data).toMatchObject({
    decision: 'approved',
    decided_by: expect.stringContaining('@'),
    comment: 'go',
  });
});

test('a pending call that expires is reported', async () => {
  await rule(['approval.expired']);
  await world.agent({ endpoints: [HELD] });
  const { approval_id: id } = await approvals.callForApproval();
  world.clock.move(30 * 60_000);
  await receiver.until(1);
  const received = receiver.bodies as unknown as { type: string; data: Record<string, unknown> }[];
  expect(received).toMatchObject([{ type: 'approval.expired', data: { approval_id: id } }]);
});

test('a fire that needs approval is announced like a call', async () => {
  await rule(['approval.pending']);
  await world.agent({ endpoints: [{ ...HELD, schedule: '* * * * *' }] });
  world.clock.move(60_000);
  await receiver.until(1);
  const [received] = receiver.bodies as unknown as { data: Record<string, unknown> }[];
  expect(received?.data).toMatchObject({
    endpoint: 'deploy',
    command: 'deploy eu',
    requested_by: 'its schedule',
  });
});

test('in a chat nothing of a value hides what will run', async () => {
  await rule(['approval.pending'], 'slack');
  await world.agent({ endpoints: [HELD] });
  const target = '\u202Eoverrun\n<!channel> <https://evil.example|safe> `*x*`';
  await approvals.callForApproval(`deploy?${new URLSearchParams({ target })}`);
  await receiver.until(1);
  const [{ body } = expect.unreachable()] = receiver.received;
  expect(body).toContain('U+202E');
  expect(body).not.toContain('\u202E');
  expect(body).not.toContain('<!channel>');
  expect(body).not.toContain('<https://evil.example');
  expect(body).toContain('/approve/');
});

test('the callback URL of an endpoint receives the cancellation of a pending call', async () => {
  await using _agent = await world.agent({ endpoints: [{ ...HELD, callback_url: receiver.url }] });
  const { approval_id: id, executionId } = await approvals.callForApproval();
  await world.manage(`/executions/${executionId}/cancel`, { method: 'POST' });
  await receiver.until(1);
  const received = receiver.bodies as unknown as { type: string; data: Record<string, unknown> }[];
  expect(received).toMatchObject([
    { type: 'approval.expired', data: { approval_id: id, execution_id: executionId } },
  ]);
});

test('the callback URL of an endpoint receives the decision, and the end', async () => {
  const agent = await world.agent({ endpoints: [{ ...HELD, callback_url: receiver.url }] });
  const denied = await approvals.callForApproval();
  await approvals.decide(denied.approval_id, 'deny');
  await receiver.until(1);
  const approved = await approvals.callForApproval();
  await approvals.decide(approved.approval_id, 'approve');
  await agent.answer('done\n');
  await receiver.until(3);
  const received = receiver.bodies as unknown as { type: string; data: Record<string, unknown> }[];
  expect(received.map(({ type, data }) => `${type} ${data.decision ?? data.state}`).toSorted()).toEqual([
    'approval.decided approved',
    'approval.decided denied',
    'execution.finished succeeded',
  ]);
});
