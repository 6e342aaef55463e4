// nginx, HAProxy and Caddy with the files of deploy/proxy, in front of a hub, with an agent that came through them.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { networkInterfaces } from 'node:os';
import { untilExists } from '../files.ts';
import { makePipeline } from '../pipelines.ts';
import { readText, readUntil } from '../read-text.ts';
import { fromGitHub } from '../webhooks.ts';
import { type BehindProxy, behindProxy } from './behind-proxy.ts';
import { type Curled, type CurlOptions, curl } from './curl.ts';
import { PROXIES, proxyMissing } from './proxy.ts';

const MIB = 1024 * 1024;
/** A container may have none. */
const HAS_IPV6 = (networkInterfaces().lo ?? []).some(({ address }) => address === '::1');
const POLL_MS = 20;
const EVENTS = { headers: { accept: 'text/event-stream' } };
const JSON_ANSWER = { headers: { accept: 'application/json' } };
const HELLO = { output: 'Hello, Ada!\n', exit_code: 0 };

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

/** The text until the stream ends, or its connection breaks. */
async function readRest(pieces: AsyncGenerator<string>): Promise<{ text: string; isBroken: boolean }> {
  let text = '';
  try {
    for await (const piece of pieces) text += piece;
    return { text, isBroken: false };
  } catch {
    return { text, isBroken: true };
  }
}

for (const kind of PROXIES)
  describe.skipIf(proxyMissing(kind) !== undefined)(kind, () => {
    let it: BehindProxy;
    beforeAll(async () => {
      it = await behindProxy(kind);
    });
    afterAll(() => it[Symbol.asyncDispose]());

    const withKey = (options: CurlOptions = {}): CurlOptions => ({
      ...options,
      headers: { 'x-api-key': it.hub.start.apiKey, accept: 'application/json', ...options.headers },
    });
    const connectionsFor = (path: string) => sum(it.wires.map((wire) => wire.connectionsFor(path)));

    test('hands on the comments of a silent stream, and output while the command runs', async () => {
      const pieces = readText(await it.call('stream', EVENTS));
      await readUntil(pieces, ': \n\n');
      await it.latch('stream').open();
      await readUntil(pieces, 'first');
      // The command continues only after its first output has arrived.
      await it.latch('stream').open();
      await readUntil(pieces, '"type":"done"');
      expect((await pieces.next()).done).toBe(true);
    });

    test('hands on buffered answers, long URLs, and bodies of 1 MiB', async () => {
      expect(await (await it.call('hello?name=Ada', JSON_ANSWER)).json()).toMatchObject(HELLO);
      const name = 'x'.repeat(12_000);
      expect(await (await it.call(`hello?name=${name}`, JSON_ANSWER)).json()).toMatchObject({
        output: `Hello, ${name}!\n`,
      });
      const post = (length: number) =>
        it.call('hello', {
          method: 'POST',
          body: '{"name": "Ada"}'.padEnd(length),
          headers: { ...JSON_ANSWER.headers, 'content-type': 'application/json' },
        });
      expect(await (await post(MIB)).json()).toMatchObject(HELLO);
      const tooLong = await post(MIB + 1);
      expect([tooLong.status, await tooLong.json()]).toMatchObject([413, { code: 'payload_too_large' }]);
      expect((await post(3 * MIB)).status).toBe(413);
    });

    test('hands on files that a command left', async () => {
      const called = (await (await it.call('leaves', JSON_ANSWER)).json()) as { execution_id: string };
      const headers = { authorization: `Bearer ${it.hub.start.accessToken}` };
      const listed = await it.ask(`/executions/${called.execution_id}/artifacts`, { headers });
      expect(await listed.json()).toMatchObject({ items: [{ size: 5_000_000, state: 'stored' }] });
    });

    test('keeps its connections to the hub for the next request', async () => {
      const paths = Array.from({ length: 20 }, () => it.pathOf('hello'));
      const before = connectionsFor(it.pathOf('hello'));
      for (const http of ['1.1', '2'] as const) {
        const { statuses, httpVersions } = await curl(it.proxy, paths, withKey({ method: 'POST', http }));
        expect(new Set([...statuses, ...httpVersions])).toEqual(new Set([200, http]));
      }
      expect(connectionsFor(it.pathOf('hello')) - before).toBeLessThan(10);
    });

    test.each([
      ['left-buffered', JSON_ANSWER],
      ['left-stream', EVENTS],
    ] as const)('notifies the hub that the caller of "%s" has gone', async (slug, { headers }) => {
      const caller = new AbortController();
      const called = it.call(slug, { headers, signal: caller.signal });
      await untilExists(it.trace(slug, 'begun'));
      caller.abort();
      await called.catch(() => {});
      await untilExists(it.trace(slug, 'terminated'));
    });

    test('says where a caller is, whatever the caller says', async () => {
      const spoofed = {
        'x-forwarded-for': '203.0.113.9',
        'x-real-ip': '203.0.113.9',
        forwarded: 'for=203.0.113.9',
        'content-type': 'application/json',
        authorization: `Bearer ${it.hub.start.accessToken}`,
      };
      const ways = [['127.0.0.77', '127.0.0.1'], ...(HAS_IPV6 ? [['::1', '::1'] as const] : [])] as const;
      for (const [from, to] of ways) {
        const made = { body: '{"name": "ci"}', headers: spoofed, from, to };
        expect((await curl(it.proxy, ['/api-keys'], made)).statuses).toEqual([201]);
        expect(await newestAddress()).toBe(from);
      }
    });

    test('has limits by address hold for each caller by itself', async () => {
      const call = async (from: string, headers = {}) => {
        const { statuses } = await curl(it.proxy, [it.pathOf('open')], { from, headers });
        return statuses[0];
      };
      expect([await call('127.0.0.81'), await call('127.0.0.81')]).toEqual([200, 200]);
      expect(await call('127.0.0.81', { 'x-forwarded-for': '203.0.113.10' })).toBe(429);
      expect(await call('127.0.0.82')).toBe(200);
    });

    test('shows no figures, however their path is written', async () => {
      const paths = [
        '/metrics',
        '/metrics?a=b',
        '/%6detrics',
        '/%6Detrics',
        '/METRICS',
        '//metrics',
        '/metrics/',
      ];
      for (const method of ['GET', 'HEAD', 'POST'])
        expect((await curl(it.proxy, paths, { method })).body).not.toContain('svc_');
      expect((await it.ask('/metrics')).status).toBe(404);
    });

    test('leaves signed calls unchanged', async () => {
      const trigger = { type: 'webhook', secret: 'shared with GitHub', public: true };
      await makePipeline(it.hub, { slug: 'hook', trigger, nodes: [{ id: 'hello', endpoint: 'hello' }] });
      const push = JSON.stringify({ ref: 'refs/heads/ü', text: 'a\r\nb \\u0000 %41 +' });
      expect((await it.ask(it.pathOf('hook'), fromGitHub(trigger.secret, push))).status).toBe(202);
      expect((await it.ask(it.pathOf('hook'), fromGitHub('guessed', push))).status).toBe(401);
    });

    test('leads from http to https', async () => {
      const plain = await fetch(`http://localhost:${it.proxy.plainPort}/ready`, { redirect: 'manual' });
      expect([plain.status, plain.headers.get('location')]).toEqual([
        308,
        expect.stringMatching(/^https:\/\/localhost(?::\d+)?\/ready$/),
      ]);
    });

    describe('when a hub dies', () => {
      // Proxies leave a hub out for a while that has failed them.
      beforeEach(() => until(async () => (await it.call('hello', JSON_ANSWER)).status === 200));

      // The first: later ones leave the proxy with one hub for a while.
      test('calls that no hub has seen go to another one', async () => {
        await it.wires[0].die();
        // The proxy reads the resets of its connections before it answers this. A request that it takes in the same moment fails.
        await it.ask('/ready');
        for (const method of ['GET', 'POST', 'GET', 'POST', 'GET', 'POST'])
          expect(await (await it.call('hello?name=Ada', { method, ...JSON_ANSWER })).json()).toMatchObject(
            HELLO,
          );
        await it.wires[0].open();
      });

      test('the agent comes back through the proxy', async () => {
        for (const wire of it.wires) await wire.die();
        for (const wire of it.wires) await wire.open();
        await until(async () => (await it.call('behind', JSON_ANSWER)).status === 200);
      });

      test.each([
        ['get-dies', 'GET', '1.1'],
        ['get-dies', 'GET', '2'],
        ['post-dies', 'POST', '1.1'],
        ['post-dies', 'POST', '2'],
      ] as const)(
        'a call of "%s" by %s over HTTP/%s is answered, and not sent again',
        async (slug, method, http) => {
          const before = await it.runs(slug);
          const sent = () => it.wires.map((wire) => wire.sent(it.pathOf(slug)));
          const sentBefore = sent();
          const started = async () => (await it.runs(slug)) - before;
          // The connections that it goes over, to the proxy and to the hub, were used before: those are what is tried again.
          const paths = [...Array.from({ length: 6 }, () => it.pathOf('hello')), it.pathOf(slug)];
          const calling = curl(it.proxy, paths, withKey({ method, http }));
          await until(async () => (await started()) > 0);
          const taken = it.wires[sent().findIndex((count, at) => count > (sentBefore[at] ?? 0))];
          await taken?.die();
          let answered: Curled | undefined;
          void calling.then((curled) => (answered = curled));
          // A call that is sent again waits at the latch.
          await until(async () => answered !== undefined || (await started()) > 1);
          await taken?.open();
          await it.latch(slug).open();
          expect([await started(), sum(sent()) - sum(sentBefore)]).toEqual([1, 1]);
          expect([answered?.exitCode, answered?.statuses.at(-1)]).toEqual([0, 502]);
        },
      );

      test('a stream breaks off without an end', async () => {
        const response = await it.call('stream-dies', EVENTS);
        expect(response.status).toBe(200);
        const pieces = readText(response);
        await readUntil(pieces, 'first');
        for (const wire of it.wires) await wire.die();
        for (const wire of it.wires) await wire.open();
        const { text, isBroken } = await readRest(pieces);
        // By the absence of `done` and `error` a reader knows in any case; Caddy shows nothing else.
        expect(text).not.toMatch(/"type":"(?:done|error)"/);
        expect(isBroken).toBe(kind !== 'caddy');
        await it.latch('stream-dies').open();
        expect(await it.runs('stream-dies')).toBe(1);
      });
    });

    async function newestAddress(): Promise<string | null | undefined> {
      const answer = await it.hub.manage('/audit?limit=1');
      const { items } = (await answer.json()) as { items: { from: { address: string | null } }[] };
      return items[0]?.from.address;
    }
  });

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
