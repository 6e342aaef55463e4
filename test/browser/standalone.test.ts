// The effect of a page of another site on `svc serve`, in a real browser: none (decision 51, the standalone server).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { untilExists } from '../files.ts';
import { serveWorld, type World } from '../world.ts';
import { hasNoBrowser, launchChromium } from './chromium.ts';

/** A name that this browser resolves to this machine, as a rebinding name server would. */
const REBOUND = 'rebound.example';
const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`,
];

/** Every command that runs leaves a file of the name that its caller passed. */
const MARK = { name: 'mark', command: 'touch {{by}}', cwd: 'ran', args: [{ name: 'by', required: true }] };

/** Our refusal, or what the browser makes of it where it hides an answer from the page. */
const NOTHING_RAN = [403, 'net::ERR_FAILED', 'net::ERR_BLOCKED_BY_ORB'];

/** Each is done by a page of another site; `url` is that of the endpoint, with the name of the attempt. */
const ATTEMPTS: Readonly<Record<string, (url: string) => void>> = {
  'fetch-no-cors': (url) => void fetch(url, { mode: 'no-cors' }),
  'fetch-cors': (url) => void fetch(url).catch(() => {}),
  'fetch-credentials': (url) => void fetch(url, { mode: 'no-cors', credentials: 'include' }),
  'post-no-cors': (url) => void fetch(url, { method: 'POST', mode: 'no-cors', body: '{}' }),
  'post-empty': (url) => void fetch(url, { method: 'POST', mode: 'no-cors' }),
  'post-preflighted': (url) =>
    void fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }).catch(
      () => {},
    ),
  beacon: (url) => void navigator.sendBeacon(url),
  image: (url) => void Object.assign(new Image(), { src: url }),
  script: (url) => void document.head.append(Object.assign(document.createElement('script'), { src: url })),
  style: (url) =>
    void document.head.append(
      Object.assign(document.createElement('link'), { rel: 'stylesheet', href: url }),
    ),
  prefetch: (url) =>
    void document.head.append(Object.assign(document.createElement('link'), { rel: 'prefetch', href: url })),
  frame: (url) => void document.body.append(Object.assign(document.createElement('iframe'), { src: url })),
  'event-source': (url) => {
    const source = new EventSource(url);
    source.onerror = () => source.close();
  },
  'form-post': (url) => {
    const form = Object.assign(document.createElement('form'), { method: 'post', action: url });
    document.body.append(form);
    form.submit();
  },
  navigation: (url) => void location.assign(url),
  popup: (url) => void window.open(url),
};

/** Requests after which the page is another. */
const LEAVES: ReadonlySet<string> = new Set(['form-post', 'navigation']);

describe.skipIf(hasNoBrowser)('a page of another site', () => {
  let world: World;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let otherSite: Bun.Server<undefined>;

  beforeAll(async () => {
    world = await serveWorld([MARK], { host: '0.0.0.0' });
    mkdirSync(join(world.folder, 'ran'));
    otherSite = Bun.serve({
      hostname: 'localhost',
      port: 0,
      fetch: () =>
        new Response('<!doctype html><title>other</title>', { headers: { 'content-type': 'text/html' } }),
    });
    browser = await launchChromium(QUIET);
    context = await browser.newContext();
    page = await context.newPage();
  });
  afterAll(async () => {
    await browser.close();
    await otherSite.stop(true);
    await world[Symbol.asyncDispose]();
  });

  const ran = () => readdirSync(join(world.folder, 'ran'));
  const endpoint = (host: string, by: string) => `http://${host}:${world.port}/mark?by=${by}`;

  /** The result of a request for this URL, from any page or frame: the status, or that the browser blocked it. */
  function resultOf(url: string): Promise<number | string> {
    const { promise, resolve } = Promise.withResolvers<number | string>();
    context.on('response', (response) => {
      if (response.url() === url) resolve(response.status());
    });
    context.on('requestfailed', (request) => {
      if (request.url() === url) resolve(request.failure()?.errorText ?? '');
    });
    return promise;
  }

  const addresses = ['127.0.0.1', 'localhost', ...externalAddress()];
  describe.each(addresses)('cannot run anything at %s', (host) => {
    test.each(Object.keys(ATTEMPTS))('by %s', async (name) => {
      const by = `${name}-${host}`;
      const url = endpoint(host, by);
      await page.goto(otherSite.url.href);
      const result = resultOf(url);
      await page.evaluate(ATTEMPTS[name] as (url: string) => void, url);
      expect(NOTHING_RAN).toContain(await result);
      if (LEAVES.has(name)) await page.waitForURL(url);
      expect(ran()).not.toContain(by);
    });

    test('by a WebSocket', async () => {
      const by = `websocket-${host}`;
      await page.goto(otherSite.url.href);
      await page.evaluate(
        (url) => {
          const { promise, resolve } = Promise.withResolvers<void>();
          new WebSocket(url).onclose = () => resolve();
          return promise;
        },
        endpoint(host, by).replace('http:', 'ws:'),
      );
      expect(ran()).not.toContain(by);
    });
  });

  test('cannot run anything by a name that was pointed at this machine, even with --allow-browser', async () => {
    await using open = await serveWorld([MARK], { args: ['--allow-browser'] });
    mkdirSync(join(open.folder, 'ran'));
    for (const { port, folder } of [world, open]) {
      const url = `http://${REBOUND}:${port}/mark?by=rebound`;
      expect((await page.goto(url))?.status()).toBe(403);
      // The page shown now, our own refusal, has the origin that a page loaded before the rebinding would have.
      const status = await page.evaluate(async (again) => (await fetch(again)).status, url);
      expect([status, existsSync(join(folder, 'ran/rebound'))]).toEqual([403, false]);
    }
  });

  test('differs in this from a page of the server itself and from the address bar, which can', async () => {
    await page.goto(`http://127.0.0.1:${world.port}/endpoints`);
    const fetched = await page.evaluate(async () => {
      const response = await fetch('/mark?by=own-fetch', { method: 'POST' });
      return { status: response.status, text: await response.text() };
    });
    expect(fetched).toEqual({ status: 200, text: expect.stringContaining('"type":"done"') });
    await page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const source = new EventSource('/mark?by=own-event-source');
          source.onerror = () => {
            if (source.readyState === EventSource.CLOSED) resolve();
          };
          source.onmessage = ({ data }) => {
            if (data.includes('done')) source.close();
            if (data.includes('done')) resolve();
          };
        }),
    );
    await page.goto(`http://localhost:${world.port}/health`);
    const typed = resultOf(endpoint('localhost', 'typed'));
    // A stream is shown as a download or not at all; that it was answered is what counts.
    await page.goto(endpoint('localhost', 'typed')).catch(() => {});
    expect(await typed).toBe(200);
    await untilExists(join(world.folder, 'ran/typed'));
    expect(ran().sort()).toEqual(['own-event-source', 'own-fetch', 'typed']);
  });
});

/** An address by which other machines reach this one: plain http there carries no `Sec-Fetch-Site`. */
function externalAddress(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)
    .slice(0, 1);
}
