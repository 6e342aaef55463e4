import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { SMTPServer } from 'smtp-server';
import { MovableClock } from '../../../test/movable-clock.ts';
import type { Store } from '../../build/create-store.ts';
import { newId } from '../db/fixtures/samples.ts';
import { onBothDatabases } from '../db/fixtures/stores.ts';
import { type Delivery, deliverMail } from './deliver-mail.ts';

setDefaultTimeout(30_000);

/** A real mail server that records mails and can delay its responses. */
class MailServer {
  readonly received: string[] = [];
  readonly #server: SMTPServer;
  readonly #waiting = new Set<() => void>();
  answers: Promise<void> = Promise.resolve();

  constructor() {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData: (stream, _session, done) => void this.#take(stream, done),
    });
  }

  async #take(stream: NodeJS.ReadableStream, done: () => void): Promise<void> {
    const text = await new Response(stream as unknown as ReadableStream).text();
    this.received.push(/^Subject: (.*)$/m.exec(text)?.[1]?.trim() ?? '');
    for (const wake of this.#waiting) wake();
    await this.answers;
    done();
  }

  async listen(port = 0): Promise<string> {
    await new Promise<void>((listening) => this.#server.listen(port, '127.0.0.1', listening));
    return `smtp://127.0.0.1:${(this.#server.server.address() as { port: number }).port}`;
  }

  async until(count: number): Promise<void> {
    while (this.received.length < count) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  close(): Promise<void> {
    return new Promise((closed) => void this.#server.close(closed));
  }
}

let server: MailServer;
let smtpUrl: string;
let clock: MovableClock;
const deliveries: Delivery[] = [];
beforeEach(async () => {
  server = new MailServer();
  smtpUrl = await server.listen();
  clock = new MovableClock();
});
afterEach(async () => {
  for (const delivery of deliveries.splice(0)) await delivery.stop();
  await server.close();
});

function deliver({ mailOutbox: outbox }: Pick<Store, 'mailOutbox'>, problems: string[] = []): Delivery {
  const onProblem = (_id: string, problem: string) => void problems.push(problem);
  const delivery = deliverMail({ outbox, clock, smtpUrl, from: 'svc@example.org', onProblem });
  deliveries.push(delivery);
  return delivery;
}

async function add(store: Store, count: number): Promise<string[]> {
  const mails = Array.from({ length: count }, (_, n) => ({
    id: newId(),
    to: 'ada@example.org',
    subject: `mail ${n}`,
    text: 'x',
    html: '<p>x</p>',
    createdAtMs: clock.nowMs(),
  }));
  for (const mail of mails) await store.mailOutbox.add(mail);
  return mails.map(({ subject }) => subject).sort();
}

async function unsent(store: Store): Promise<number> {
  return (await store.mailOutbox.waiting(1_000)).length;
}

onBothDatabases(({ open, newLocation }) => {
  test('two hubs that send at the same time send each mail once', async () => {
    const location = await newLocation();
    await using one = await open(location);
    await using other = await open(location);
    const subjects = await add(one, 25);
    deliver(one);
    deliver(other);
    await server.until(25);
    await Promise.all(deliveries.map((delivery) => delivery.stop()));
    expect(server.received.toSorted()).toEqual(subjects);
    expect(await unsent(one)).toBe(0);
  });

  test('mails wait for a server that is down, and each is sent once when it is back', async () => {
    await using store = await open();
    await server.close();
    const subjects = await add(store, 5);
    const problems: string[] = [];
    deliver(store, problems);
    while (problems.length < subjects.length) await new Promise((resolve) => setImmediate(resolve));
    expect(await unsent(store)).toBe(5);
    server = new MailServer();
    await server.listen(Number(new URL(smtpUrl).port));
    while (server.received.length < subjects.length) {
      clock.move(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(deliveries.map((delivery) => delivery.stop()));
    expect(server.received.toSorted()).toEqual(subjects);
    expect(await unsent(store)).toBe(0);
  });

  test('a mail in progress at one hub is not sent by another', async () => {
    const location = await newLocation();
    await using one = await open(location);
    await using other = await open(location);
    await add(one, 1);
    const { promise, resolve } = Promise.withResolvers<void>();
    server.answers = promise;
    deliver(one);
    await server.until(1);
    clock.move(60_000);
    await deliver(other).stop();
    resolve();
    for (const delivery of deliveries) await delivery.stop();
    expect(server.received).toEqual(['mail 0']);
    expect(await unsent(one)).toBe(0);
  });

  test('the mail of a dead hub is sent by another after the claim has expired', async () => {
    await using store = await open();
    await add(store, 1);
    // It died between the claim and the end of sending.
    await store.mailOutbox.claimDue(clock.nowMs(), clock.nowMs() + 600_000);
    deliver(store);
    await clock.untilTimer(30_000);
    expect(server.received).toEqual([]);
    clock.move(600_000);
    await clock.untilTimer(30_000);
    clock.move(30_000);
    await server.until(1);
  });

  test('a stopping hub finishes the mail in progress, and starts no other', async () => {
    await using store = await open();
    await add(store, 2);
    const { promise, resolve } = Promise.withResolvers<void>();
    server.answers = promise;
    const stopped = deliver(store);
    await server.until(1);
    const stopping = stopped.stop();
    resolve();
    await stopping;
    expect(server.received).toHaveLength(1);
    expect(await unsent(store)).toBe(1);
  });

  test('a delivered mail is not sent again when the store fails to record it', async () => {
    await using store = await open();
    await add(store, 1);
    let isDown = true;
    const { mailOutbox: real } = store;
    const problems: string[] = [];
    const outbox = {
      claimDue: (nowMs: number, untilMs: number) => real.claimDue(nowMs, untilMs),
      failed: (id: string, nextAtMs: number, error: string) => real.failed(id, nextAtMs, error),
      sent: (id: string, nowMs: number) =>
        isDown ? Promise.reject(new Error('the store cannot write')) : real.sent(id, nowMs),
    };
    deliver({ mailOutbox: outbox as Store['mailOutbox'] }, problems);
    await clock.untilTimer(30_000);
    expect([server.received, await unsent(store)]).toEqual([['mail 0'], 1]);
    isDown = false;
    clock.move(700_000);
    await clock.untilTimer(30_000);
    expect([server.received, await unsent(store)]).toEqual([['mail 0'], 0]);
    expect(problems).toEqual(['Error: the store cannot write']);
  });
});

test('a mail that is added during a poll does not wait for the next poll', async () => {
  const added: string[] = [];
  let delivery: Delivery | undefined;
  const mailOutbox = {
    claimDue: async () => {
      if (added.push('look') === 1) queueMicrotask(() => delivery?.wake());
      return undefined;
    },
  } as unknown as Store['mailOutbox'];
  delivery = deliver({ mailOutbox });
  await clock.untilTimer(30_000);
  expect(added).toEqual(['look', 'look']);
});
