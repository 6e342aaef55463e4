// The bus itself, over a real nats-server: who receives what, malformed frames, keys to the broker, a broker that stops and
// returns.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { BUS_FRAME_CHARS, type BusFrame } from '@svc/core/bus/frame';
import { NatsBus, type NatsObserver } from '@svc/hub/platform/bus/nats-bus';
import type { NatsSettings } from '@svc/hub/platform/bus/nats-settings';
import { natsMissing, publishRaw, startNats } from '../nats.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { pollPause } from '../until.ts';

setDefaultTimeout(60_000);

const REVIEW: BusFrame = { type: 'review' };
const waits = (workspaceId: string): BusFrame => ({ type: 'waits', workspaceId });

interface Member extends AsyncDisposable {
  readonly bus: NatsBus;
  readonly troubles: string[];
  readonly bugs: unknown[];
  /** Settles when it is reached, or lost. */
  until(isConnected: boolean): Promise<void>;
}

function member(
  address: string,
  hubId: string,
  more: Partial<NatsSettings & Pick<NatsObserver, 'asking' | 'asked' | 'answered'>> = {},
): Member {
  const settings = { user: undefined, password: undefined, credsFile: undefined, tls: undefined };
  const troubles: string[] = [];
  const bugs: unknown[] = [];
  let wake: (() => void)[] = [];
  const bus = new NatsBus(
    { ...settings, servers: [address], ...more },
    {
      state(_, error) {
        if (error !== undefined) troubles.push(error.message);
        for (const each of wake) each();
        wake = [];
      },
      bug: (error) => void bugs.push(error),
      ...more,
    },
  );
  bus.join(hubId);
  return {
    bus,
    troubles,
    bugs,
    async until(isConnected) {
      while (bus.isConnected !== isConnected) await new Promise<void>((resolve) => wake.push(resolve));
    },
    [Symbol.asyncDispose]: () => bus.close(),
  };
}

/** The received frames, in order. */
function receiverOf({ bus }: Member, subject: Parameters<NatsBus['subscribe']>[0] = 'all') {
  const frames: { frame: BusFrame; from: string }[] = [];
  let wake = () => {};
  bus.subscribe(subject, (frame, from) => {
    frames.push({ frame, from });
    wake();
  });
  return async () => {
    while (frames.length === 0) await new Promise<void>((resolve) => (wake = resolve));
    return frames.shift();
  };
}

describe.skipIf(natsMissing !== undefined)('hubs on a bus', () => {
  test('publish nothing after they begin to close', async () => {
    await using nats = await startNats();
    await using one = member(nats.address, 'one');
    await using other = member(nats.address, 'other');
    await using third = member(nats.address, 'third');
    const all = receiverOf(other);
    await Promise.all([one, other, third].map((each) => each.until(true)));
    one.bus.publish('all', { type: 'leaves' });
    const closed = one.bus.close();
    one.bus.publish('all', { type: 'agents', workspaceIds: ['w'] });
    await closed;
    third.bus.publish('all', { type: 'leaves' });
    expect([await all(), await all()]).toMatchObject([{ from: 'one' }, { from: 'third' }]);
  });

  test('receive what is published for all and for their subjects, and never their own frames', async () => {
    await using nats = await startNats();
    await using one = member(nats.address, 'one');
    await using other = member(nats.address, 'other');
    const own = receiverOf(one);
    const all = receiverOf(other);
    const workspace = receiverOf(other, 'workspace.w');
    await Promise.all([one.until(true), other.until(true)]);
    one.bus.publish('all', waits('a'));
    one.bus.publish('workspace.elsewhere', waits('b'));
    one.bus.publish('workspace.w', waits('c'));
    expect([await all(), await workspace()]).toEqual([
      { frame: waits('a'), from: 'one' },
      { frame: waits('c'), from: 'one' },
    ]);
    other.bus.publish('all', waits('d'));
    expect(await own()).toEqual({ frame: waits('d'), from: 'other' });
  });

  test('ask each other, and know at once of one that is not there', async () => {
    await using nats = await startNats();
    await using one = member(nats.address, 'one');
    await using other = member(nats.address, 'other');
    const asked: BusFrame[] = [];
    other.bus.answer(async (frame) => {
      asked.push(frame);
      return frame.type === 'review' ? { type: 'done' } : undefined;
    });
    await Promise.all([one.until(true), other.until(true)]);
    expect(await one.bus.ask('other', REVIEW, 10_000)).toEqual({ kind: 'answered', frame: { type: 'done' } });
    expect(await one.bus.ask('nobody', REVIEW, 3_600_000)).toEqual({ kind: 'nobody' });
    expect(await one.bus.ask('other', waits('w'), 500)).toEqual({ kind: 'late' });
    while (asked.length < 2) await pollPause();
    expect(asked).toEqual([REVIEW, waits('w')]);
  });

  test('tell an observer what they ask, are asked and have answered', async () => {
    await using nats = await startNats();
    const answeredMs: number[] = [];
    const asked: BusFrame[] = [];
    await using one = member(nats.address, 'one', {
      asking: (frame) => (frame.type === 'review' ? waits('w') : frame),
      answered: (sentAtMs) => void answeredMs.push(performance.now() - sentAtMs),
    });
    await using other = member(nats.address, 'other', { asked: (frame) => void asked.push(frame) });
    other.bus.answer(async () => ({ type: 'done' }));
    await Promise.all([one.until(true), other.until(true)]);
    expect(await one.bus.ask('other', REVIEW, 10_000)).toMatchObject({ kind: 'answered' });
    expect(await one.bus.ask('nobody', REVIEW, 10_000)).toEqual({ kind: 'nobody' });
    expect(asked).toEqual([waits('w')]);
    expect(answeredMs).toEqual([expect.any(Number)]);
    expect(answeredMs[0]).toBeGreaterThan(0);
  });

  test('count malformed frames, and continue', async () => {
    await using nats = await startNats();
    await using one = member(nats.address, 'one');
    // Before it is connected: the broker then has its subscriptions when others publish.
    const receive = receiverOf(one);
    await one.until(true);
    const hostile = [
      '',
      'no JSON',
      '[]',
      'null',
      '{"v":2,"from":"x","frame":{"type":"review"}}',
      '{"v":1,"from":"a.b.>","frame":{"type":"review"}}',
      '{"v":1,"from":"x","frame":{"type":"of a version to come"}}',
      '{"v":1,"from":"x","frame":{"type":"waits","workspaceId":{"__proto__":1}}}',
      `{"v":1,"from":"x","frame":{"type":"changed","ids":[${'"a",'.repeat(2_000)}"b"]}}`,
      `{"v":1,"from":"x","frame":{"type":"review"},"more":"${'x'.repeat(BUS_FRAME_CHARS)}"}`,
      new Uint8Array([0xff, 0x00, 0xc3, 0x28]),
      '['.repeat(100_000),
    ];
    await publishRaw(nats.address, [...hostile, '{"v":1,"from":"x","frame":{"type":"review"}}']);
    expect(await receive()).toEqual({ frame: REVIEW, from: 'x' });
    expect([one.bus.ignored, one.bugs]).toEqual([hostile.length, []]);
  });

  test('start without a broker, find one that comes later, and find it again when it was gone', async () => {
    await using nats = await startNats();
    await nats.kill();
    await using one = member(nats.address, 'one');
    await using other = member(nats.address, 'other');
    const receive = receiverOf(other);
    expect(await one.bus.ask('other', REVIEW, 3_600_000)).toEqual({ kind: 'lost' });
    one.bus.publish('all', waits('before'));
    await nats.start();
    await Promise.all([one.until(true), other.until(true)]);
    one.bus.publish('all', waits('first'));
    expect((await receive())?.frame).toEqual(waits('first'));
    await nats.kill();
    await Promise.all([one.until(false), other.until(false)]);
    expect(await one.bus.ask('other', REVIEW, 3_600_000)).toEqual({ kind: 'lost' });
    for (let count = 0; count < 1_000; count += 1) one.bus.publish('all', waits('meanwhile'));
    await nats.start();
    await Promise.all([one.until(true), other.until(true)]);
    // Frames of the meantime are outdated: they are not published now.
    one.bus.publish('all', waits('again'));
    expect((await receive())?.frame).toEqual(waits('again'));
  });

  test('have to know the password', async () => {
    await using nats = await startNats('authorization: { user: "hub", password: "s3cret/@" }');
    await using stranger = member(nats.address, 'stranger', { user: 'hub', password: 'guessed' });
    await using one = member(nats.address, 'one', { user: 'hub', password: 's3cret/@' });
    await one.until(true);
    while (stranger.troubles.length === 0) await pollPause();
    expect([stranger.bus.isConnected, stranger.troubles[0]]).toEqual([
      false,
      expect.stringContaining('Authorization Violation'),
    ]);
  });

  test.skipIf(Bun.which('openssl') === null)(
    'speak TLS with a broker whose certificate they trust, and no other',
    async () => {
      await using folder = await temporaryFolder();
      const [cert, key] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')];
      const args = [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
      ];
      const names = ['-subj', '/CN=nats', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
      const made = Bun.spawn(['openssl', ...args, '-keyout', key, '-out', cert, ...names], {
        stdio: ['ignore', 'ignore', 'ignore'],
      });
      expect(await made.exited).toBe(0);
      await using nats = await startNats(`tls: { cert_file: "${cert}", key_file: "${key}" }`);
      const files = { certFile: undefined, keyFile: undefined };
      const address = nats.address.replace('127.0.0.1', 'localhost');
      await using one = member(address, 'one', { tls: { caFile: cert, ...files } });
      await one.until(true);
      await using careful = member(address, 'careful', { tls: { caFile: undefined, ...files } });
      while (careful.troubles.length === 0) await pollPause();
      expect(careful.bus.isConnected).toBe(false);
      await using plain = await startNats();
      await using strict = member(plain.address, 'strict', { tls: { caFile: cert, ...files } });
      while (strict.troubles.length === 0) await pollPause();
      expect([strict.bus.isConnected, strict.troubles[0]]).toEqual([false, expect.stringContaining('tls')]);
    },
  );
});
