import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type TemporaryFolder, temporaryFolder } from '../../../test/temporary-folder.ts';
import { createStore, type Store } from '../../build/create-store.ts';
import { auditEntry, endpointOf, newId, newWorkspace } from '../../platform/db/fixtures/samples.ts';
import { EnvelopeVault } from '../../platform/vault/envelope-vault.ts';
import { AlertWorld, SECRET } from '../fixtures/alert-world.ts';
import { Receiver } from '../fixtures/receiver.ts';

setDefaultTimeout(30_000);

let folder: TemporaryFolder;
let store: Store;
let world: AlertWorld;
let receiver: Receiver;
beforeEach(async () => {
  folder = await temporaryFolder();
  const vault = new EnvelopeVault(randomBytes(32));
  store = await createStore({ kind: 'sqlite', file: join(folder.path, 'svc.db') }, { endpointOf, vault });
  world = new AlertWorld(store);
  receiver = new Receiver();
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

test('a chat gets its own message format, unsigned, with only the link to the page', async () => {
  const rule = await world.rule(receiver.url, {
    channel: 'slack',
    events: ['approval.pending'],
    secret: undefined,
  });
  const id = newId();
  const owner = { workspaceId: rule.workspaceId, kind: 'alert_link', id } as const;
  await world.publish(rule.workspaceId, {
    id,
    name: 'approval.pending',
    data: { endpoint: 'deploy', command: 'rm <https://evil.example|x> `y`' },
    sealedLink: world.vault.seal('https://svc.example/approve/abc', owner),
  });
  await world.deliver().untilTried(1);
  const [{ headers, body } = expect.unreachable()] = receiver.received;
  const { text, blocks } = JSON.parse(body);
  expect(text.split('\n')).toEqual([
    '*An approval is waiting*',
    'Endpoint: `deploy`',
    'Command: `rm &lt;https://evil.example|x&gt; ˋyˋ`',
    '<https://svc.example/approve/abc|Look and decide>',
  ]);
  expect(blocks).toHaveLength(4);
  expect(headers.has('webhook-signature')).toBe(false);
});

test('a mail goes to the member through the mail outbox, and not to a former member', async () => {
  const { workspaceId } = await newWorkspace(store, 'ada@example.org');
  const rule = await world.rule('ada@example.org', { workspaceId, channel: 'email', secret: undefined });
  const stranger = await world.rule('eve@example.org', { workspaceId, channel: 'email', secret: undefined });
  await world.publish(workspaceId);
  await world.deliver().untilTried(1);
  const mails = await store.mailOutbox.recent(10);
  expect(mails).toMatchObject([{ to: 'ada@example.org', subject: 'An execution has failed' }]);
  expect(await world.log(rule)).toMatchObject([{ id: mails[0]?.id ?? '', state: 'waiting', tries: 0 }]);
  expect(await world.log(stranger)).toMatchObject([
    { state: 'given_up', error: 'the address is not one of a member of the workspace, or cannot be read' },
  ]);
});

test('a mail that cannot be composed does not block other deliveries', async () => {
  const { workspaceId } = await newWorkspace(store, 'ada@example.org');
  const sealedTarget = 'v1.0000000000000000.x.y';
  const broken = await world.rule('', { workspaceId, channel: 'email', secret: undefined, sealedTarget });
  await world.rule(receiver.url, { workspaceId });
  await world.publish(workspaceId);
  await world.deliver().untilTried(2);
  expect(receiver.received).toHaveLength(1);
  expect(await world.log(broken)).toMatchObject([{ state: 'given_up', tries: 1 }]);
});

test('a callback goes to the URL of its endpoint, and is signed once the workspace has a secret', async () => {
  const { workspaceId } = await newWorkspace(store);
  const event = { name: 'execution.finished', callbackUrl: receiver.url } as const;
  await world.publish(workspaceId, { ...event, data: { execution_id: 'x1' } });
  const deliverer = world.deliver();
  await deliverer.untilTried(1);
  const sealed = world.vault.seal(SECRET, { workspaceId, kind: 'callback_secret', id: workspaceId });
  const entry = { workspaceId, action: 'alert.callback_secret_made' } as const;
  await store.alertRules.setCallbackSecret(
    workspaceId,
    { sealed, previous: undefined },
    undefined,
    auditEntry(workspaceId, entry),
  );
  await world.publish(workspaceId, { ...event, data: { execution_id: 'x2' } });
  deliverer.wake();
  await deliverer.untilTried(2);
  expect(receiver.bodies.map(({ data }) => data)).toEqual([{ execution_id: 'x1' }, { execution_id: 'x2' }]);
  expect(receiver.received.map(({ headers }) => headers.has('webhook-signature'))).toEqual([false, true]);
});

test('an event goes to the enabled, earlier rules whose filters match its name, endpoint and agent', async () => {
  const { workspaceId } = await newWorkspace(store);
  const url = (name: string) => receiver.url.replace('hook', name);
  const rule = (name: string, more: object) => world.rule(url(name), { workspaceId, ...more });
  await rule('all', {});
  await rule('other-event', { events: ['agent.offline'] });
  await rule('slug', { slug: 'deploy' });
  await rule('other-slug', { slug: 'build' });
  await rule('agent', { agentName: 'default' });
  await rule('other-agent', { agentName: 'db-1' });
  await rule('off', { isEnabled: false });
  await rule('later', { createdAtMs: world.clock.nowMs() + 1 });
  await world.rule(url('other-workspace'));
  await world.publish(workspaceId);
  await world.deliver().untilTried(3);
  const paths = receiver.received.map(({ path }) => path.replace(/\?.*/, '')).sort();
  expect(paths).toEqual(['/agent', '/all', '/slug']);
});

test('a test alert arrives while other alerts of the rule wait, and is not retried', async () => {
  const rule = await world.rule(receiver.url);
  receiver.answer = () => new Response(null, { status: 500 });
  await world.publish(rule.workspaceId);
  const deliverer = world.deliver();
  await deliverer.untilTried(1);
  const id = await world.try(rule);
  deliverer.wake();
  await deliverer.untilTried(2);
  const log = await world.log(rule);
  expect(log.find((one) => one.id === id)).toMatchObject({ event: 'test', state: 'given_up', tries: 1 });
  expect(log.find((one) => one.id !== id)).toMatchObject({ state: 'waiting', tries: 1 });
});

test('a deleted rule gets nothing more; a target that cannot be opened is a failure with bounded retries', async () => {
  const rule = await world.rule(receiver.url);
  const broken = await world.rule(receiver.url, { sealedTarget: 'v1.0000000000000000.x.y' });
  await world.publish(broken.workspaceId);
  const deliverer = world.deliver();
  await deliverer.untilTried(1);
  expect(await world.log(broken)).toMatchObject([
    { state: 'waiting', tries: 1, error: 'the hub could not prepare it' },
  ]);
  await world.publish(rule.workspaceId);
  await store.alertRules.remove(rule.workspaceId, rule.id, auditEntry(rule.workspaceId));
  deliverer.wake();
  await world[Symbol.asyncDispose]();
  expect(receiver.received).toEqual([]);
});
