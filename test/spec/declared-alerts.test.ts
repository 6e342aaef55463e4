// Alert rules that a file declares with its endpoints, and what a stolen token may not do with them (decision 70, alert rules in a
// file). Real receivers.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { Receiver } from '@svc/hub/alerts/fixtures/receiver';
import { Approvals } from '../approvals.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { announcements } from '../scripted-agent.ts';
import { connect, type Owner, ownerOf } from '../token-world.ts';

const FAILED = { kind: 'exited', exit_code: 3, duration_ms: 5 } as const;
const ALERT = { events: ['execution.failed'], target: '$svc:HOOK' };
const JOB = { name: 'job', command: 'true' };

let world: HubWorld;
let owner: Owner;
let receiver: Receiver;
beforeEach(async () => {
  const env = { SVC_ALERT_PRIVATE_NETWORKS: '127.0.0.0/8', SVC_DEFAULT_PLAN: 'pro' };
  world = await hubWorld({ env });
  owner = ownerOf(world);
  receiver = new Receiver();
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

interface Rule {
  readonly id: string;
  readonly name: string;
  readonly problem: string | null;
  readonly source: string;
}
const rules = async () => (await owner.ask('GET', '/alerts')).items as Rule[];
const setHook = (more: object = {}) =>
  owner.ask('PUT', '/secrets/HOOK', { value: `${receiver.url}\n`, ...more });
const jobWith = (...alerts: object[]) => ({ ...JOB, alerts });

type Agent = Awaited<ReturnType<HubWorld['agent']>>;
/** Announces another file on the same connection. */
async function announce(agent: Agent, revision: number, endpoints: Parameters<typeof announcements>[0]) {
  agent.say({ type: 'config', revision, endpoints: announcements(endpoints) });
  return await agent.receive('registered');
}
async function fail(agent: Agent): Promise<void> {
  const called = world.call('job');
  await agent.answer('oh\n', FAILED);
  await called;
}

test('rules of a file come, change and go with it, and the audit log names the agent', async () => {
  await setHook();
  await using agent = await world.agent({
    endpoints: [jobWith(ALERT, { ...ALERT, name: 'chat', channel: 'slack' })],
  });
  expect(agent.welcome.warnings).toEqual([]);
  const [first, second] = (await rules()).toSorted((a, b) => a.name.localeCompare(b.name));
  const common = { source: 'config', created_by: null, endpoint: 'job', target: '$svc:HOOK', problem: null };
  expect(first).toMatchObject({ ...common, name: 'chat', channel: 'slack', events: ['execution.failed'] });
  expect(second).toMatchObject({ ...common, name: 'job 1', channel: 'webhook' });
  await fail(agent);
  await receiver.until(2);
  expect(receiver.received.filter(({ headers }) => headers.has('webhook-signature'))).toHaveLength(1);
  // The same endpoint with another alert is the same version: nothing about its command changed.
  const before = await owner.ask('GET', '/endpoints/job');
  await announce(agent, 2, [jobWith({ ...ALERT, events: ['execution.succeeded'] })]);
  expect(await rules()).toMatchObject([{ id: second?.id, events: ['execution.succeeded'] }]);
  expect(await owner.ask('GET', '/endpoints/job')).toMatchObject({ version: before.version });
  await announce(agent, 3, [JOB]);
  expect(await rules()).toEqual([]);
  expect(await owner.audited('alert.deleted')).toMatchObject([
    { actor: { kind: 'agent', name: 'default' }, target: { name: 'job 1' } },
    { target: { name: 'chat' } },
  ]);
  await announce(agent, 4, [jobWith(ALERT)]);
  await announce(agent, 5, []);
  expect(await rules()).toEqual([]);
});

test('only the file changes its rules: the API says so, and still tests them and makes a new signing secret', async () => {
  await setHook();
  await using agent = await world.agent({ endpoints: [jobWith(ALERT)] });
  const [{ id } = expect.unreachable()] = await rules();
  const message = 'the file of an agent declares this rule under alerts of "job": change it there';
  const refused = { http: 409, code: 'managed_by_config', error: message };
  expect(await owner.ask('PATCH', `/alerts/${id}`, { enabled: false })).toMatchObject(refused);
  expect(await owner.ask('DELETE', `/alerts/${id}`)).toMatchObject(refused);
  expect(await owner.ask('POST', `/alerts/${id}/secret`)).toMatchObject({ http: 201 });
  expect(await owner.ask('POST', `/alerts/${id}/test`)).toMatchObject({ http: 202 });
  await receiver.until(1);
  const withAlerts = { slug: 'made', command: 'true', alerts: [ALERT] };
  expect(await owner.ask('POST', '/endpoints', withAlerts)).toMatchObject({ http: 400 });
  expect(await owner.ask('PATCH', '/endpoints/job', { alerts: [] })).toMatchObject({ http: 400 });
  // A file that registers again what is known changes nothing.
  await announce(agent, 2, [jobWith(ALERT)]);
  expect(await owner.audited('alert.changed')).toEqual([]);
  expect(await owner.audited('alert.made')).toHaveLength(1);
});

describe('a token that is not granted the secret', () => {
  const reason = 'waits for an admin: may `build-1` have `HOOK`?';

  test('sends nothing there until an admin allows it; what waited is then sent', async () => {
    await setHook();
    world.clock.move(1_000);
    const { token } = await owner.makeToken();
    await using agent = await connect(world, token, { endpoints: [jobWith(ALERT)], name: 'build-1' });
    expect(agent.welcome.warnings).toEqual([`"job": alert "1" of "build-1" is not sent: ${reason}`]);
    const [{ id } = expect.unreachable()] = await rules();
    expect(await owner.ask('GET', `/alerts/${id}`)).toMatchObject({ problem: reason });
    await fail(agent);
    for (;;) {
      const { items } = (await owner.ask('GET', `/alerts/${id}/deliveries`)) as { items: object[] };
      if (items.length === 0 || !JSON.stringify(items).includes('"tries":1')) continue;
      expect(items).toMatchObject([{ state: 'waiting', error: reason }]);
      break;
    }
    expect(receiver.received).toEqual([]);
    const [grant = expect.unreachable()] = await owner.grants('waiting');
    expect(grant).toMatchObject({ secret: 'HOOK', kind: 'agent', name: 'build-1' });
    await owner.decide(grant, 'allow');
    while (receiver.received.length === 0) {
      world.clock.move(5_000);
      await rules();
    }
    expect(await owner.ask('GET', `/alerts/${id}`)).toMatchObject({ problem: null });
  });

  test('cannot take over a rule by naming another secret, and the rule of a revoked token is not sent', async () => {
    await setHook();
    const made = await owner.makeToken({ agent_names: ['build-1'] });
    await owner.ask('PUT', '/secrets/OTHER', { value: receiver.url });
    world.clock.move(1_000);
    const stolen = await owner.makeToken({ agent_names: ['build-1'] });
    const file = { endpoints: [jobWith(ALERT)], name: 'build-1', instance: crypto.randomUUID() };
    const real = await connect(world, made.token, file);
    expect(real.welcome.warnings).toEqual([]);
    await real.vanish();
    const other = { ...ALERT, target: '$svc:OTHER' };
    const thief = await connect(world, stolen.token, { endpoints: [jobWith(other)], name: 'build-1' });
    expect(await rules()).toMatchObject([{ target: '$svc:OTHER', problem: reason.replace('HOOK', 'OTHER') }]);
    await thief.vanish();
    const again = await connect(world, made.token, file);
    expect(await rules()).toMatchObject([{ target: '$svc:HOOK', problem: null }]);
    // The same file from a token without a grant leaves the rule to the one that has it.
    await again.vanish();
    const same = await connect(world, stolen.token, { endpoints: [jobWith(ALERT)], name: 'build-1' });
    expect(await rules()).toMatchObject([{ target: '$svc:HOOK', problem: null }]);
    await owner.ask('DELETE', `/agent-tokens/${made.id}`);
    const [{ problem } = expect.unreachable()] = await rules();
    expect(problem).toContain('was revoked');
    await same.vanish();
  });

  test('that is meant for other agents does not have it', async () => {
    await setHook({ agents: ['web-1'] });
    await using agent = await world.agent({ endpoints: [jobWith(ALERT)] });
    expect(agent.welcome.warnings).toEqual([
      '"job": alert "1" of "default" is not sent: the secret "HOOK" is not for the agent "default"',
    ]);
  });
});

test('a secret that is not set, or is not a URL, is reported without its value', async () => {
  await using agent = await world.agent({ endpoints: [jobWith(ALERT)] });
  expect(agent.welcome.warnings).toEqual([
    '"job": alert "1" of "default" is not sent: the secret "HOOK" is not set',
  ]);
  await owner.ask('PUT', '/secrets/HOOK', { value: 'correct-horse' });
  const [{ id, problem } = expect.unreachable()] = await rules();
  expect(problem).toStartWith('the secret "HOOK" holds no URL for an alert');
  await owner.ask('POST', `/alerts/${id}/test`);
  for (;;) {
    const log = JSON.stringify(await owner.ask('GET', `/alerts/${id}/deliveries`));
    if (!log.includes('given_up')) continue;
    expect(log).toContain('holds no URL for an alert');
    expect(log).not.toContain('correct-horse');
    break;
  }
});

test('the alert of a file about an approval has no link that decides', async () => {
  await setHook();
  const asking = { ...jobWith({ ...ALERT, events: ['approval.pending'] }), approval_required: true };
  await using _agent = await world.agent({ endpoints: [asking] });
  const { approve_url } = await new Approvals(world).callForApproval('job');
  await receiver.until(1);
  const [{ body } = expect.unreachable()] = receiver.received;
  expect(JSON.parse(body)).toMatchObject({ url: `${world.hub.hubUrl}/dashboard/approvals` });
  expect(body).not.toContain(new URL(approve_url).pathname);
});

test('files declare at most 100 rules in a workspace, and a warning names each that is left out', async () => {
  await setHook();
  const names = Array.from({ length: 11 }, (_, index) => `job-${index}`);
  const alerts = Array.from({ length: 10 }, () => ALERT);
  const first = names.slice(0, 10).map((name) => ({ ...JOB, name, alerts }));
  await using agent = await world.agent({ endpoints: first });
  expect(agent.welcome.warnings).toEqual([]);
  const { warnings } = await announce(agent, 2, [...first, { ...JOB, name: 'job-10', alerts: [ALERT] }]);
  expect(warnings).toEqual(['"job-10": alert "1" is left out: files declare at most 100 in a workspace']);
  await announce(agent, 3, [...first.slice(1), { ...JOB, name: 'job-10', alerts: [ALERT] }]);
  const { items } = await owner.ask('GET', '/alerts?limit=100');
  expect(items).toContainEqual(expect.objectContaining({ name: 'job-10 1' }));
  expect(items).toHaveLength(91);
});

test('an alert of a later version is left out, and the rest of the file is registered', async () => {
  await setHook();
  await using agent = await world.agent({ endpoints: [] });
  const [one = expect.unreachable()] = announcements([jobWith(ALERT)]);
  const later = { ...ALERT, events: ['execution.slow'] };
  agent.say({ type: 'config', revision: 2, endpoints: [{ ...one, alerts: [later, ALERT] }] });
  const { warnings } = await agent.receive('registered');
  expect(warnings).toEqual([expect.stringContaining('"job": alert "1": events')]);
  expect(await rules()).toMatchObject([{ name: 'job 2' }]);
});
