// Held calls: references 3.1, 4.5 and 7, decisions 24 and 34 to 36. The agent is played by the test, over real sockets.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { Approvals } from '../approvals.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { readAnswer } from '../people.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';

const ROUNDS = process.env.SVC_TEST_LONG === '1' ? 200 : 2;
const HELD = { command: 'true', approval_required: true };
const DEPLOY = {
  ...HELD,
  name: 'deploy',
  command: 'deploy {{target}}',
  args: [{ name: 'target', default: 'eu' }],
};
const ENDPOINTS = [
  DEPLOY,
  { ...HELD, name: 'quick', approval_timeout_mins: 1 },
  { ...HELD, name: 'narrow', approvers: ['admin', 'lin@example.com'] },
  { ...HELD, name: 'others', allow_self: false },
  { ...HELD, name: 'open', public: true },
  { ...HELD, name: 'one', max_concurrent: 1 },
  { ...HELD, name: 'sealed', args: [{ name: 'pin', secret: true, required: true }] },
];
const JSON_TYPE = { 'content-type': 'application/json' };

let world: HubWorld;
let agent: ScriptedAgent;
let approvals: Approvals;
beforeEach(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  agent = await world.agent({ endpoints: ENDPOINTS });
  approvals = new Approvals(world);
});
afterEach(() => world[Symbol.asyncDispose]());

describe('a pending call', () => {
  test('is answered with 202 at once, though no agent is there, and runs nothing', async () => {
    await agent.vanish();
    const { response, ...body } = await approvals.callForApproval('deploy?target=us');
    expect(body).toMatchObject({
      status: 'pending_approval',
      approve_url: expect.stringMatching(/\/approve\/[\w-]{64}$/),
      expires_in_mins: 30,
      message: expect.stringContaining('"deploy" waits for approval'),
    });
    const location = `${world.hub.baseUrl}/approvals/${body.approval_id}`;
    expect(response.headers.get('location')).toBe(location);
    expect(await approvals.execution(body.executionId)).toMatchObject({
      status: 'pending_approval',
      started_at: null,
    });
    const key = { 'x-api-key': world.start.apiKey };
    expect(await (await fetch(location, { headers: key })).json()).toMatchObject({
      status: 'pending_approval',
      command: 'deploy us',
      values: [{ name: 'target', value: 'us' }],
      agent_name: 'default',
      requested_by: expect.stringMatching(/^key ".+" of .+@/),
      expires_in_s: 1800,
      execution_id: body.executionId,
    });
  });

  test('is refused with 429 while a hundred of its endpoint wait; those of others are not', async () => {
    for (let made = 0; made < 100; made += 1) expect((await world.call('deploy')).status).toBe(202);
    const refused = await world.call('deploy');
    expect([refused.status, refused.headers.has('retry-after'), await refused.json()]).toEqual([
      429,
      true,
      expect.objectContaining({ code: 'concurrency_limited', details: { limit: 100 } }),
    ]);
    expect((await world.call('quick')).status).toBe(202);
  });

  test('with an invalid value is refused, and needs no decision', async () => {
    expect((await world.call('deploy?nobody=1')).status).toBe(400);
    const { items } = (await (await world.manage('/approvals')).json()) as { items: unknown[] };
    expect(items).toEqual([]);
  });

  test('and the same again with its Idempotency-Key is one call with one approval', async () => {
    const init = { headers: { 'idempotency-key': 'k1' } };
    const [first, second] = [
      await approvals.callForApproval('deploy', init),
      await approvals.callForApproval('deploy', init),
    ];
    expect([second.approval_id, second.executionId, second.approve_url]).toEqual([
      first.approval_id,
      first.executionId,
      first.approve_url,
    ]);
    await approvals.decide(first.approval_id, 'deny', 'no');
    const third = await readAnswer(await world.call('deploy', init));
    expect([third.status, third.body.code]).toEqual([403, 'approval_denied']);
  });

  test('of an anonymous caller can be followed with the URL in its answer, and by no other caller', async () => {
    const response = await fetch(world.urlOf('open'));
    const location = response.headers.get('location') ?? '';
    expect((await fetch(location)).status).toBe(200);
    expect((await fetch(location.replace(/\?.*/, ''))).status).toBe(401);
    const { requested_by: by } = (await (await fetch(location)).json()) as Record<string, unknown>;
    expect(by).toMatch(/^somebody at .+, without a key$/);
  });

  test('of a member is answered with where it stands, too', async () => {
    const body = JSON.stringify({ endpoint: 'deploy', args: { target: 'us' } });
    const started = await readAnswer(
      await world.manage('/executions', { method: 'POST', headers: JSON_TYPE, body }),
    );
    expect([started.status, started.body]).toMatchObject([202, { status: 'pending_approval' }]);
    expect(await approvals.execution(String(started.body.execution_id))).toMatchObject({
      status: 'pending_approval',
    });
  });

  test('takes nothing of the quota before it is approved', async () => {
    const used = async () =>
      ((await (await world.manage('/usage')).json()) as { executions?: { used: number } }).executions?.used;
    const before = await used();
    const { approval_id: id } = await approvals.callForApproval();
    expect(await used()).toBe(before);
    await approvals.decide(id, 'approve');
    expect(await used()).toBe((before ?? 0) + 1);
  });
});

test('an agent is warned of public endpoints that anybody could approve', async () => {
  const other = await world.agent({
    name: 'other',
    instance: crypto.randomUUID(),
    endpoints: [
      { ...HELD, name: 'anybody', public: true },
      { ...HELD, name: 'known' },
    ],
  });
  expect(other.welcome.warnings).toEqual([expect.stringContaining('"anybody" is public and needs approval')]);
});

describe('a decision', () => {
  test('to approve runs exactly what was shown, once, and its caller gets the output', async () => {
    const { approval_id: id, executionId } = await approvals.callForApproval('deploy?target=us');
    const stream = await world.manage(`/executions/${executionId}/stream`);
    const decided = await approvals.decide(id, 'approve', 'go');
    expect([decided.status, decided.body]).toMatchObject([
      200,
      { status: 'approved', comment: 'go', decided_by: expect.stringContaining('@') },
    ]);
    const { execution_id: ran, args } = await agent.receive('run');
    expect([ran, args]).toEqual([executionId, { target: 'us' }]);
    agent.output(executionId, 1, 'done so\n');
    agent.end(executionId, 1);
    const events = await stream.text();
    expect(events).toContain('"data":"done so"');
    expect(events).toContain('"type":"done"');
    expect(await approvals.execution(executionId)).toMatchObject({
      status: 'succeeded',
      output: 'done so\n',
    });
    expect(agent.unread('run')).toBe(0);
  });

  test('to deny runs nothing, and its caller gets who denied it and why', async () => {
    const { approval_id: id, executionId } = await approvals.callForApproval();
    const stream = await world.manage(`/executions/${executionId}/stream`);
    await approvals.decide(id, 'deny', 'not on a Friday');
    const events = await stream.text();
    expect(events).toContain('"type":"error"');
    expect(events).toMatch(/denied by .+@.+: not on a Friday/);
    expect(await approvals.execution(executionId)).toMatchObject({
      status: 'denied',
      code: 'approval_denied',
    });
    expect(agent.unread('run')).toBe(0);
  });

  test('that comes second is answered with who was first, when and how', async () => {
    const { approval_id: id, path } = await approvals.callForApproval();
    await (await approvals.opened(path))('deny', 'no');
    world.clock.move(5_000);
    const second = await approvals.decide(id, 'approve');
    expect([second.status, second.body]).toMatchObject([
      409,
      {
        code: 'approval_closed',
        details: {
          decision: 'denied',
          decided_by: expect.stringMatching(/^somebody with the link, at /),
          decided_at: expect.stringMatching(/:00\.000Z$/),
        },
      },
    ]);
  });

  test(`of 200 at once is one, ${ROUNDS} times over: one execution each, and the losers learn who won`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { approval_id: id, executionId, path } = await approvals.callForApproval();
      const byLink = await approvals.opened(path);
      const outcomes = await Promise.all(
        Array.from({ length: 200 }, async (_, n) => {
          const decision = n % 3 === 0 ? 'deny' : 'approve';
          if (n % 2 === 0) return { decision, ...(await approvals.decide(id, decision)) };
          return { decision, ...(await byLink(decision)) };
        }),
      );
      const [winner, ...others] = outcomes.filter(({ status }) => status === 200);
      expect([winner?.decision, others]).toEqual([expect.any(String), []]);
      const now = await approvals.approval(id);
      expect(now.status).toBe(winner?.decision === 'deny' ? 'denied' : 'approved');
      for (const { status, text } of outcomes.filter((outcome) => outcome !== winner)) {
        expect([409, 410]).toContain(status);
        expect(text).toContain(String(now.decided_by));
      }
      if (now.status === 'denied') continue;
      expect((await agent.receive('run')).execution_id).toBe(executionId);
      agent.end(executionId, 0);
      await agent.receive('ended_ack');
    }
    expect(agent.unread('run')).toBe(0);
  }, 600_000);

  test('at the very millisecond of the expiry is too late, the one before is not', async () => {
    const [early, late] = [
      await approvals.callForApproval('quick'),
      await approvals.callForApproval('quick'),
    ];
    world.clock.move(59_999);
    expect((await approvals.decide(early.approval_id, 'approve')).status).toBe(200);
    world.clock.move(1);
    const received = await approvals.decide(late.approval_id, 'approve');
    expect(received).toMatchObject({
      status: 410,
      body: { code: 'approval_expired', execution_id: late.executionId },
    });
    await agent.receive('run');
    expect(agent.unread('run')).toBe(0);
  });

  test('waits for its agent, for 120 s, and then says that none came', async () => {
    await agent.vanish();
    await world.untilNoAgent();
    const [first, second] = [await approvals.callForApproval(), await approvals.callForApproval()];
    await approvals.decide(first.approval_id, 'approve');
    expect(await approvals.execution(first.executionId)).toMatchObject({ status: 'queued' });
    const back = await world.agent({ endpoints: ENDPOINTS });
    expect((await back.receive('run')).execution_id).toBe(first.executionId);
    await back.vanish();
    await world.untilNoAgent();
    // Its time then ends at another moment than that of the agent, and of the first.
    world.clock.move(1);
    await approvals.decide(second.approval_id, 'approve');
    await world.clock.untilTimer(120_000);
    world.clock.move(120_000);
    await approvals.until(async () => (await approvals.execution(second.executionId)).status === 'rejected');
    expect(await approvals.execution(second.executionId)).toMatchObject({
      reason: 'agent_offline',
      code: 'agent_offline',
    });
  });

  test('keeps to max_concurrent: the second runs when the first has ended', async () => {
    const [first, second] = [await approvals.callForApproval('one'), await approvals.callForApproval('one')];
    await approvals.decide(first.approval_id, 'approve');
    const { execution_id: running } = await agent.receive('run');
    await approvals.decide(second.approval_id, 'approve');
    expect(await approvals.execution(second.executionId)).toMatchObject({ status: 'queued' });
    agent.end(running, 0);
    expect((await agent.receive('run')).execution_id).toBe(second.executionId);
  });

  test('gives the agent the secret arguments, which were never shown', async () => {
    const { approval_id: id, path } = await approvals.callForApproval('sealed?pin=hunter2');
    const shown = JSON.stringify([await approvals.approval(id), await approvals.page(path)]);
    expect(shown).not.toContain('hunter2');
    expect(await approvals.approval(id)).toMatchObject({
      values: [{ name: 'pin', value: null, secret: true }],
    });
    await approvals.decide(id, 'approve');
    expect((await agent.receive('run')).args).toEqual({ pin: 'hunter2' });
  });

  test('is in the audit log, and so is a second use of the link, once', async () => {
    const { approval_id: id, path } = await approvals.callForApproval();
    const byLink = await approvals.opened(path);
    await approvals.decide(id, 'approve', 'go');
    for (let tries = 0; tries < 5; tries += 1) expect((await byLink('deny')).status).toBe(410);
    const other = await approvals.callForApproval();
    await (await approvals.opened(other.path))('deny');
    const { items } = (await (await world.manage('/audit')).json()) as { items: Record<string, unknown>[] };
    const entries = items.filter(({ action }) => String(action).startsWith('approval.'));
    expect(entries).toMatchObject([
      { action: 'approval.denied', actor: { kind: 'link', id: null } },
      { action: 'approval.tried_again', actor: { kind: 'link' }, details: { decision: 'deny' } },
      {
        action: 'approval.approved',
        actor: { kind: 'member' },
        target: { kind: 'approval', id, name: 'deploy' },
        details: { comment: 'go' },
      },
    ]);
  });
});

describe('waiting callers', () => {
  test('with a long poll is answered at the decision, or after the requested time', async () => {
    const { approval_id: id } = await approvals.callForApproval();
    const polled = approvals.approval(id, '?wait=60');
    await approvals.decide(id, 'deny');
    expect(await polled).toMatchObject({ status: 'denied' });
    const { approval_id: other } = await approvals.callForApproval();
    const late = approvals.approval(other, '?wait=30');
    let isAnswered = false;
    void late.then(() => {
      isAnswered = true;
    });
    await approvals.until(async () => {
      world.clock.move(1_000);
      return isAnswered;
    });
    expect(await late).toMatchObject({ status: 'pending_approval' });
  });

  test('may cancel, and then the call can no longer be approved', async () => {
    const { approval_id: id, executionId, path } = await approvals.callForApproval();
    const stream = await world.manage(`/executions/${executionId}/stream`);
    const key = { 'x-api-key': world.start.apiKey };
    const url = `${world.hub.baseUrl}/executions/${executionId}/cancel`;
    expect((await fetch(url, { method: 'POST', headers: key })).status).toBe(202);
    expect(await approvals.execution(executionId)).toMatchObject({ status: 'cancelled' });
    expect(await approvals.approval(id)).toMatchObject({ status: 'expired', reason: 'cancelled' });
    expect((await approvals.decide(id, 'approve')).status).toBe(409);
    expect((await approvals.page(path)).text).toContain('Cancelled by its caller');
    expect(await stream.text()).toContain('cancelled before anybody approved it');
  });

  test('may cancel what is approved and has no agent yet', async () => {
    await agent.vanish();
    await world.untilNoAgent();
    const { approval_id: id, executionId } = await approvals.callForApproval();
    await approvals.decide(id, 'approve');
    await world.manage(`/executions/${executionId}/cancel`, { method: 'POST' });
    expect(await approvals.execution(executionId)).toMatchObject({ status: 'cancelled' });
    const back = await world.agent({ endpoints: ENDPOINTS });
    await approvals.decide((await approvals.callForApproval()).approval_id, 'approve');
    expect((await back.receive('run')).execution_id).not.toBe(executionId);
  });

  test('with another key sees nothing of it', async () => {
    const { approval_id: id } = await approvals.callForApproval();
    const made = await readAnswer(
      await world.manage('/api-keys', { method: 'POST', headers: JSON_TYPE, body: '{"name":"other"}' }),
    );
    const key = { 'x-api-key': String(made.body.key ?? made.body.token) };
    expect((await fetch(`${world.hub.baseUrl}/approvals/${id}`, { headers: key })).status).toBe(404);
  });
});

describe('without a decision', () => {
  test('the call expires by itself, also when the hub was stopped at that time', async () => {
    const [one, two] = [await approvals.callForApproval('quick'), await approvals.callForApproval('quick')];
    const stream = await world.manage(`/executions/${one.executionId}/stream`);
    world.clock.move(60_000);
    expect(await stream.text()).toContain('nobody approved it in time');
    expect(await approvals.execution(one.executionId)).toMatchObject({
      status: 'expired',
      code: 'approval_expired',
    });
    const third = await approvals.callForApproval('quick');
    await world.restart(async () => world.clock.move(61_000));
    await approvals.until(async () => (await approvals.execution(third.executionId)).status === 'expired');
    for (const { approval_id: id } of [one, two, third])
      expect(await approvals.approval(id)).toMatchObject({ status: 'expired', reason: 'timed_out' });
    expect((await approvals.page(third.path)).text).toContain('Expired without a decision');
  });
});

describe('changes since the call', () => {
  async function stale(
    pending: Awaited<ReturnType<Approvals['callForApproval']>>,
    message: string,
  ): Promise<void> {
    const { approval_id: id, executionId, path } = pending;
    expect((await approvals.page(path)).text).toContain(message);
    const decided = await approvals.decide(id, 'approve');
    expect([decided.status, decided.body.code, decided.body.error]).toEqual([
      409,
      'stale',
      expect.stringContaining(message),
    ]);
    expect(await approvals.approval(id)).toMatchObject({ status: 'expired', reason: 'stale' });
    expect(await approvals.execution(executionId)).toMatchObject({ status: 'rejected', reason: 'stale' });
  }

  test('because its endpoint was changed runs nothing', async () => {
    const call = await approvals.callForApproval();
    await agent.vanish();
    const changed = { ...DEPLOY, command: 'rm -rf {{target}}' };
    const back = await world.agent({ endpoints: [changed] });
    await stale(call, 'its endpoint was changed after the call');
    expect(back.unread('run')).toBe(0);
  });

  test('when it is approved already does not run on another agent than was shown', async () => {
    const api = (method: string, path: string, body: object) =>
      world.manage(path, { method, headers: JSON_TYPE, body: JSON.stringify(body) });
    await api('POST', '/endpoints', { ...HELD, slug: 'ship', agent_name: 'staging' });
    const { approval_id: id, executionId } = await approvals.callForApproval('ship');
    expect(await approvals.approval(id)).toMatchObject({ agent_name: 'staging' });
    expect((await approvals.decide(id, 'approve')).status).toBe(200);
    expect((await api('PATCH', '/endpoints/ship', { agent_name: 'prod' })).status).toBe(200);
    const prod = await world.agent({ endpoints: [], name: 'prod', instance: crypto.randomUUID() });
    const staging = await world.agent({ endpoints: [], name: 'staging', instance: crypto.randomUUID() });
    expect((await staging.receive('run')).execution_id).toBe(executionId);
    expect(prod.unread('run')).toBe(0);
  });

  test('because its endpoint is gone runs nothing, and is shown all the same', async () => {
    const call = await approvals.callForApproval('deploy?target=us');
    await agent.vanish();
    const back = await world.agent({ endpoints: [{ name: 'other', command: 'true' }] });
    expect((await approvals.page(call.path)).text).toContain('deploy <span class="v">us</span>');
    await stale(call, 'its endpoint was deleted after the call');
    expect(back.unread('run')).toBe(0);
  });

  test('because the key of its caller was revoked runs nothing', async () => {
    const call = await approvals.callForApproval();
    const { items } = (await (await world.manage('/api-keys')).json()) as { items: { id: string }[] };
    await world.manage(`/api-keys/${items[0]?.id}`, { method: 'DELETE' });
    await stale(call, 'the API key of its caller was revoked');
    expect(agent.unread('run')).toBe(0);
  });

  test('because its caller was removed from the team runs nothing', async () => {
    const lin = await approvals.member('lin@example.com');
    const started = await lin.ask('POST', '/executions', {
      body: { endpoint: 'deploy', args: {} },
      workspace: world.start.username,
    });
    const id = String(started.body.approval_id);
    const executionId = String(started.body.execution_id);
    const { items } = (await (await world.manage('/team/members')).json()) as { items: { id: string }[] };
    await world.manage(`/team/members/${items[0]?.id}`, { method: 'DELETE' });
    const path = new URL(String(started.body.approve_url)).pathname;
    await stale({ approval_id: id, executionId, path } as never, 'its caller is no member');
    expect(agent.unread('run')).toBe(0);
  });

  test('can be denied like any other', async () => {
    const call = await approvals.callForApproval();
    await agent.vanish();
    await world.agent({ endpoints: [{ name: 'other', command: 'true' }] });
    expect((await approvals.decide(call.approval_id, 'deny')).status).toBe(200);
    expect(await approvals.execution(call.executionId)).toMatchObject({ status: 'denied' });
  });
});

describe('permission to decide', () => {
  test('is named by approvers: roles and addresses', async () => {
    const [admin, lin, kim] = [
      await approvals.member('admin@example.com', 'admin'),
      await approvals.member('lin@example.com'),
      await approvals.member('kim@example.com'),
    ];
    const { approval_id: id, executionId } = await approvals.callForApproval('narrow');
    for (const refused of [
      await approvals.decide(id, 'approve'),
      await approvals.decideAs(kim, id, 'approve'),
    ])
      expect(refused).toMatchObject({
        status: 403,
        body: { details: { reason: 'not_approver' }, execution_id: executionId },
      });
    expect((await approvals.decideAs(lin, id, 'approve')).status).toBe(200);
    const { approval_id: other } = await approvals.callForApproval('narrow');
    expect((await approvals.decideAs(admin, other, 'deny')).status).toBe(200);
  });

  test('is not who called, nor by a key that they made, where allow_self is false', async () => {
    const lin = await approvals.member('lin@example.com');
    const { approval_id: id } = await approvals.callForApproval('others');
    const own = await approvals.decide(id, 'approve');
    expect([own.status, own.body.details]).toEqual([403, { reason: 'own_call' }]);
    expect((await approvals.decideAs(lin, id, 'approve')).status).toBe(200);
  });

  test('is a member of this workspace: those of others find nothing', async () => {
    const { approval_id: id } = await approvals.callForApproval();
    const { signIn } = await import('../people.ts');
    const stranger = await signIn(world, 'stranger@example.com');
    expect(
      (await stranger.ask('POST', `/approvals/${id}/decide`, { body: { decision: 'deny' } })).status,
    ).toBe(404);
  });
});

test('lists show what waits with its time left, and what was decided with who and when', async () => {
  const [one, two] = [
    await approvals.callForApproval('deploy?target=us'),
    await approvals.callForApproval('quick'),
  ];
  world.clock.move(10_000);
  await approvals.decide(one.approval_id, 'deny', 'no');
  const list = async (query: string) => {
    const { items } = (await (await world.manage(`/approvals${query}`)).json()) as {
      items: Record<string, unknown>[];
    };
    return items;
  };
  expect(await list('?status=pending_approval')).toMatchObject([
    { approval_id: two.approval_id, endpoint: 'quick', command: 'true', expires_in_s: 50 },
  ]);
  expect(await list('?status=decided')).toMatchObject([
    {
      approval_id: one.approval_id,
      status: 'denied',
      command: 'deploy us',
      decided_by: expect.stringContaining('@'),
      decided_at: expect.any(String),
      comment: 'no',
    },
  ]);
  expect(await list('?endpoint=deploy')).toHaveLength(1);
  expect(await list('')).toHaveLength(2);
});
