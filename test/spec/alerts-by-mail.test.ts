// Alerts to people, through a whole hub: by a real mail server, and of a pending call to a chat (decision 35, an approval is
// frozen, and decision 39, alerts).
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { Receiver } from '@svc/hub/alerts/fixtures/receiver';
import { SMTPServer } from 'smtp-server';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { linkTo, personWith, signIn } from '../people.ts';

setDefaultTimeout(60_000);

interface Received {
  readonly to: string;
  readonly text: string;
}

/** A real mail server that keeps what it gets. */
class MailServer {
  readonly received: Received[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, { envelope }, done) => {
      let text = '';
      stream.on('data', (bytes) => (text += String(bytes)));
      stream.on('end', () => {
        this.received.push({ to: envelope.rcptTo[0]?.address ?? '', text });
        for (const wake of this.#waiting) wake();
        done();
      });
    },
  });

  async listen(): Promise<string> {
    await new Promise<void>((listening) => this.#server.listen(0, '127.0.0.1', listening));
    return `smtp://127.0.0.1:${(this.#server.server.address() as { port: number }).port}`;
  }

  async until(count: number): Promise<void> {
    while (this.received.length < count) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  close(): Promise<void> {
    return new Promise((closed) => void this.#server.close(() => closed()));
  }
}

let mails: MailServer;
let world: HubWorld;
let receiver: Receiver;
beforeEach(async () => {
  mails = new MailServer();
  receiver = new Receiver();
  const env = { SMTP_URL: await mails.listen(), SVC_ALERT_PRIVATE_NETWORKS: '127.0.0.1' };
  world = await hubWorld({ env });
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
  await mails.close();
});

async function rule(wanted: object): Promise<string> {
  const response = await world.manage('/alerts', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'mine', ...wanted }),
  });
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

test('a member gets a mail of an execution that failed, and the log of the rule says that it was delivered', async () => {
  const id = await rule({ events: ['execution.failed'], channel: 'email', target: 'operator@localhost' });
  await using agent = await world.agent({ endpoints: [{ name: 'job', command: 'true' }] });
  const called = world.call('job');
  const executionId = await agent.answer('oh\n', { kind: 'exited', exit_code: 3, duration_ms: 5 });
  await called;
  await mails.until(1);
  const [{ to, text } = expect.unreachable()] = mails.received;
  expect(to).toBe('operator@localhost');
  expect(text).toContain('Subject: An execution has failed');
  expect(text).toContain('Exit code: 3');
  expect(text).toContain(executionId);
  for (;;) {
    const response = await world.manage(`/alerts/${id}/deliveries`);
    const { items } = (await response.json()) as { items: { state: string }[] };
    if (items[0]?.state !== 'delivered') continue;
    expect(items).toMatchObject([{ event: 'execution.failed', state: 'delivered', tries: 1 }]);
    break;
  }
});

test('the approvers that an endpoint names get a mail without a rule, once, and the caller gets none', async () => {
  await rule({ events: ['approval.pending'], channel: 'email', target: 'operator@localhost' });
  await memberOf('lin@example.com', 'admin');
  await memberOf('eve@example.com', 'member');
  const deploy = {
    name: 'deploy',
    command: 'deploy {{where}}',
    args: [{ name: 'where', type: 'text' }],
    approval_required: true,
    approvers: ['owner', 'admin'],
  };
  await using agent = await world.agent({ endpoints: [deploy] });
  expect(agent.welcome).toBeDefined();
  expect((await world.call('deploy?where=eu')).status).toBe(202);
  // Each member had an invitation and a sign-in link.
  await mails.until(4 + 2);
  const sent = mails.received
    .filter(({ text }) => text.includes('Subject: An approval is waiting'))
    .toSorted((one, other) => one.to.localeCompare(other.to));
  expect(sent.map(({ to }) => to)).toEqual(['lin@example.com', 'operator@localhost']);
  expect(sent[0]?.text).toContain('because the endpoint names you as an approver');
  expect(sent[0]?.text).toContain(`${world.hub.hubUrl}/approve/`);
  expect(sent[1]?.text).toContain('because of the alert rule "mine"');
  const log = await (await world.manage('/alerts/callbacks/deliveries')).json();
  expect(log).toMatchObject({ items: [] });
});

test('an alert of a file does not take the link that decides from an approver', async () => {
  await memberOf('lin@example.com', 'admin');
  const deploy = {
    name: 'deploy',
    command: 'deploy',
    approval_required: true,
    approvers: ['admin'],
    alerts: [{ events: ['approval.pending'], target: 'lin@example.com' }],
  };
  await using agent = await world.agent({ endpoints: [deploy] });
  expect(agent.welcome).toBeDefined();
  expect((await world.call('deploy')).status).toBe(202);
  await mails.until(2 + 2);
  const sent = mails.received.filter(({ text }) => text.includes('Subject: An approval is waiting'));
  const link = `${world.hub.hubUrl}/approve/`;
  expect(sent.map(({ to, text }) => [to, text.includes(link)]).toSorted()).toEqual([
    ['lin@example.com', false],
    ['lin@example.com', true],
  ]);
});

/** A member of the workspace of the operator. */
async function memberOf(email: string, role: 'admin' | 'member'): Promise<void> {
  const body = JSON.stringify({ email, role });
  const headers = { 'content-type': 'application/json' };
  expect((await world.manage('/team/invite', { method: 'POST', headers, body })).status).toBe(201);
  const link = await linkTo(world, email);
  const { cookie } = await signIn(world, email);
  expect((await personWith(world, email, cookie).ask('POST', link)).status).toBe(200);
}

test('a chat message shows what a pending call would run, with the link to the page of the decision', async () => {
  await rule({ events: ['approval.pending'], channel: 'slack', target: receiver.url });
  const pending = {
    name: 'deploy',
    command: 'deploy {{where}}',
    args: [{ name: 'where', type: 'text' }],
    approval_required: true,
  };
  await using agent = await world.agent({ endpoints: [pending] });
  expect(agent.welcome).toBeDefined();
  const called = await world.call('deploy?where=https%3A%2F%2Fevil.example%2F%60%3C!channel%3E');
  expect(called.status).toBe(202);
  await receiver.until(1);
  const { text } = JSON.parse(receiver.received[0]?.body ?? '') as { text: string };
  const lines = text.split('\n');
  expect(lines[0]).toBe('*An approval is waiting*');
  expect(lines).toContainEqual(
    expect.stringMatching(/^Command: `deploy .*evil\.example.*&lt;!channel&gt;.*`$/),
  );
  const url = /^<(.*)\|Look and decide>$/.exec(lines.at(-1) ?? '')?.[1] ?? '';
  expect(url).toStartWith(`${world.hub.hubUrl}/approve/`);
  expect((await fetch(url)).status).toBe(200);
  expect(text.match(/<[^>]*>/g)).toHaveLength(1);
});

test('an alert of a file is mailed to a member, and to no one else that a file could name', async () => {
  const alert = { events: ['execution.failed'], target: 'operator@localhost' };
  const stranger = { ...alert, name: 'stranger', target: 'stranger@example.com' };
  const agent = await world.agent({
    endpoints: [{ name: 'job', command: 'true', alerts: [stranger, alert] }],
  });
  // The agent does not learn who is a member, so a stolen token does not reveal it.
  expect(agent.welcome.warnings).toEqual([]);
  const called = world.call('job');
  await agent.answer('oh\n', { kind: 'exited', exit_code: 3, duration_ms: 5 });
  await called;
  const { items } = (await (await world.manage('/alerts')).json()) as {
    items: { id: string; name: string; problem: string | null }[];
  };
  const { id, problem } = items.find(({ name }) => name === 'stranger') ?? expect.unreachable();
  expect(problem).toBe('the address is not one of a member of the workspace');
  for (;;) {
    const log = await (await world.manage(`/alerts/${id}/deliveries`)).text();
    if (!log.includes('given_up')) continue;
    expect(log).toContain('not one of a member of the workspace');
    break;
  }
  await mails.until(1);
  expect(mails.received.map(({ to }) => to)).toEqual(['operator@localhost']);
  await agent.vanish();
});
