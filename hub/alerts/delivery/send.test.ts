import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readNetwork } from '@svc/core/alert/address';
import { MovableClock } from '../../../test/movable-clock.ts';
import { type TemporaryFolder, temporaryFolder } from '../../../test/temporary-folder.ts';
import { Receiver } from '../fixtures/receiver.ts';
import { systemResolve } from './checked-addresses.ts';
import { type SendOptions, type Sent, send } from './send.ts';

setDefaultTimeout(30_000);

let receiver: Receiver;
let clock: MovableClock;
beforeEach(() => {
  receiver = new Receiver();
  clock = new MovableClock();
});
afterEach(() => receiver[Symbol.asyncDispose]());

/** A resolver that returns one list of addresses per query, and repeats the last list. */
function names(...answers: string[][]): SendOptions['resolve'] & { asked: number } {
  const resolve = Object.assign(
    async () => {
      resolve.asked += 1;
      return answers[Math.min(resolve.asked, answers.length) - 1] ?? [];
    },
    { asked: 0 },
  );
  return resolve;
}

function sendTo(url: string, { allowed = ['127.0.0.1'], ...more }: Partial<Given> = {}): Promise<Sent> {
  const networks = allowed.flatMap((text) => readNetwork(text) ?? []);
  const options = { clock, resolve: systemResolve, ...more, allowed: networks };
  const message = { url, headers: { 'content-type': 'application/json' }, body: '{"a":"ä"}' };
  return send(options, message, new AbortController().signal);
}
type Given = Omit<SendOptions, 'allowed'> & { allowed: readonly string[] };

describe('the guard', () => {
  test('refuses every spelling of an address of this machine', async () => {
    const hosts = [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.0.0.1',
      '0177.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      'localhost',
    ];
    for (const host of hosts) {
      const sent = await sendTo(`http://${host}:${receiver.port}/`, { allowed: [] });
      expect([host, sent.error]).toEqual([host, expect.stringContaining('is not on the public Internet')]);
    }
    expect(receiver.received).toEqual([]);
  });

  test('refuses a name that leads to a private address, also beside a public one', async () => {
    for (const addresses of [
      ['10.0.0.1'],
      ['127.0.0.1'],
      ['8.8.8.8', '127.0.0.1'],
      ['fd00:ec2::254'],
      ['169.254.169.254'],
    ]) {
      const resolve = names(addresses);
      const { error } = await sendTo(`http://hook.example:${receiver.port}/`, { resolve, allowed: [] });
      // The message must not reveal the answer of the resolver.
      expect(error).toEqual(
        expect.stringContaining('hook.example leads to an address that is not on the public Internet'),
      );
    }
    expect(receiver.received).toEqual([]);
  });

  test('connects to the checked address, whatever the name resolves to later', async () => {
    await using other = new Receiver({ hostname: '127.0.0.2', port: receiver.port });
    const rebinding = names(['127.0.0.2'], ['127.0.0.1']);
    const url = `http://hook.example:${receiver.port}/hook`;
    expect(await sendTo(url, { resolve: rebinding, allowed: ['127.0.0.2'] })).toMatchObject({
      responseStatus: 204,
    });
    expect(rebinding.asked).toBe(1);
    expect(await sendTo(url, { resolve: rebinding, allowed: ['127.0.0.2'] })).toMatchObject({
      error: expect.stringContaining('hook.example leads to an address that is not on the public Internet'),
    });
    expect(other.received.map(({ headers }) => headers.get('host'))).toEqual([
      `hook.example:${receiver.port}`,
    ]);
    expect(receiver.received).toEqual([]);
  });

  test('uses the resolver of the system, and reports a name without an address', async () => {
    expect(
      await sendTo(`http://localhost:${receiver.port}/`, { allowed: ['127.0.0.1', '::1'] }),
    ).toMatchObject({
      responseStatus: 204,
    });
    const { error } = await sendTo('http://nothing.invalid/');
    expect(error).toBe('nothing.invalid has no address');
  });

  test('does not go through a proxy of the environment', async () => {
    await using proxy = new Receiver();
    process.env.HTTP_PROXY = proxy.url;
    process.env.http_proxy = proxy.url;
    try {
      await sendTo(receiver.url);
    } finally {
      delete process.env.HTTP_PROXY;
      delete process.env.http_proxy;
    }
    expect([receiver.received.length, proxy.received.length]).toEqual([1, 0]);
  });

  test('does not follow a redirect', async () => {
    await using inner = new Receiver();
    receiver.answer = () => new Response(null, { status: 307, headers: { location: inner.url } });
    expect(await sendTo(receiver.url)).toEqual({
      responseStatus: 307,
      error: 'answered 307: redirects are not followed',
    });
    expect(inner.received).toEqual([]);
  });
});

describe('a receiver that', () => {
  test('has several addresses is tried at the next one when the first refuses the connection', async () => {
    const resolve = names(['127.0.0.3', '127.0.0.1']);
    const url = `http://hook.example:${receiver.port}/`;
    expect(await sendTo(url, { resolve, allowed: ['127.0.0.0/8'] })).toMatchObject({ responseStatus: 204 });
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]?.body).toBe('{"a":"ä"}');
  });

  test('refuses the connection gets another error than one that closes without a response', async () => {
    using closing = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (socket) => void socket.end() },
    });
    expect((await sendTo(`http://127.0.0.1:${closing.port}/`)).error).toBe(
      'the connection was closed before there was an answer',
    );
    closing.stop(true);
    expect((await sendTo(`http://127.0.0.1:${closing.port}/`)).error).toBe('the connection was refused');
  });

  test('never responds, or whose name is never resolved, times out after 15 seconds', async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    using silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => arrive() } });
    const sent = sendTo(`http://127.0.0.1:${silent.port}/`);
    await arrived;
    clock.move(14_999);
    clock.move(1);
    expect(await sent).toEqual({ responseStatus: undefined, error: 'no answer within 15 s' });
    const lost = sendTo('http://hook.example/', { resolve: () => new Promise(() => {}) });
    await clock.untilTimer(15_000);
    clock.move(15_000);
    expect((await lost).error).toBe('no answer within 15 s');
  });

  test('sends an endless body or an endless head is cut off', async () => {
    let pulled = 0;
    const endless = new ReadableStream({
      async pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(65_536));
        await Promise.resolve();
      },
    });
    receiver.answer = () => new Response(endless);
    expect(await sendTo(receiver.url)).toEqual({ responseStatus: 200, error: undefined });
    const line = `X-A: ${'a'.repeat(1_000)}\r\n`;
    using heads = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        data: (socket) => void socket.write(`HTTP/1.1 200 OK\r\n${line.repeat(1_000)}`),
      },
    });
    expect((await sendTo(`http://127.0.0.1:${heads.port}/`)).error).toBe(
      'the head of the answer was too long',
    );
    expect(pulled).toBeLessThan(1_000);
  });

  test('sends a confidential error message is not quoted', async () => {
    receiver.answer = () => new Response('the key is 42', { status: 403, statusText: 'key 42' });
    expect(await sendTo(receiver.url)).toEqual({ responseStatus: 403, error: 'answered 403' });
  });
});

describe.skipIf(Bun.which('openssl') === null)('over TLS', () => {
  let folder: TemporaryFolder;
  let tls: { cert: string; key: string };
  beforeEach(async () => {
    folder = await temporaryFolder();
    const [cert, key] = ['cert.pem', 'key.pem'].map((name) => join(folder.path, name));
    const names = ['-subj', '/CN=hook.example', '-addext', 'subjectAltName=DNS:hook.example'];
    const made = Bun.spawn(
      [
        'openssl',
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
      ]
        .concat(['-keyout', key ?? '', '-out', cert ?? ''])
        .concat(names),
      { stdio: ['ignore', 'ignore', 'ignore'] },
    );
    expect(await made.exited).toBe(0);
    tls = { cert: readFileSync(cert ?? '', 'utf8'), key: readFileSync(key ?? '', 'utf8') };
  });
  afterEach(() => folder[Symbol.asyncDispose]());

  test('the certificate must be for the host name of the URL and signed by a trusted authority', async () => {
    await using secure = new Receiver({ tls });
    const resolve = names(['127.0.0.1']);
    const to = (host: string, ca?: string) => sendTo(`https://${host}:${secure.port}/`, { resolve, ca });
    expect(await to('hook.example', tls.cert)).toEqual({ responseStatus: 204, error: undefined });
    expect(secure.received[0]?.headers.get('host')).toBe(`hook.example:${secure.port}`);
    expect((await to('other.example', tls.cert)).error).toBe('the certificate is for another name');
    expect((await to('hook.example')).error).toBe('the certificate is not signed by a trusted authority');
    expect((await to('127.0.0.1', tls.cert)).error).toBe('the certificate is for another name');
    expect(secure.received).toHaveLength(1);
  });
});
