// Calls of a page of another origin, in a real browser: CORS of `/v1` with fetch and EventSource (decision 22, EventSource,
// reference 4.1).
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { SvcClient } from '../../clients/typescript/src/client.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { signIn } from '../people.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { hasNoBrowser, launchChromium } from './chromium.ts';

setDefaultTimeout(60_000);

describe.skipIf(hasNoBrowser)('a page of another origin', () => {
  let world: HubWorld;
  let agent: ScriptedAgent;
  let browser: Browser;
  let site: ReturnType<typeof Bun.serve>;
  let page: Page;
  beforeAll(async () => {
    world = await hubWorld({ env: { SVC_RATE_LIMITS: 'key=60,public=60' } });
    agent = await world.agent({
      endpoints: [
        { name: 'job', command: 'true', args: [{ name: 'word' }] },
        { name: 'open', command: 'true', public: true },
      ],
    });
    site = Bun.serve({
      port: 0,
      hostname: 'localhost',
      async fetch({ url }) {
        if (new URL(url).pathname === '/client.js') return new Response(await clientForBrowsers());
        const headers = { 'content-type': 'text/html' };
        return new Response('<!doctype html><title>a page</title>', { headers });
      },
    });
    browser = await launchChromium();
    page = await browser.newPage();
    // Another host name and another port: nothing about the two is the same.
    await page.goto(`http://localhost:${site.port}/`);
  });
  afterAll(async () => {
    await browser.close();
    await site.stop(true);
    await world[Symbol.asyncDispose]();
  });

  test('calls with a key and JSON after a preflight, and reads the result and its headers', async () => {
    const called = page.evaluate(
      async ({ url, key }) => {
        const response = await fetch(`${url}?fail=1`, {
          method: 'POST',
          headers: { 'X-API-Key': key, 'Content-Type': 'application/json', 'Idempotency-Key': 'once' },
          body: JSON.stringify({ word: 'hi' }),
        });
        const names = [
          'X-Execution-Id',
          'X-Exit-Code',
          'RateLimit-Limit',
          'RateLimit-Remaining',
          'Preference-Applied',
        ];
        const headers = Object.fromEntries(names.map((name) => [name, response.headers.get(name)]));
        return { status: response.status, headers, body: (await response.json()) as object };
      },
      { url: world.urlOf('job'), key: world.start.apiKey },
    );
    const run = await agent.receive('run');
    expect(run.args).toEqual({ word: 'hi' });
    agent.output(run.execution_id, 1, 'out\n');
    agent.end(run.execution_id, 1, { kind: 'exited', exit_code: 3, duration_ms: 1 });
    expect(await called).toEqual({
      status: 502,
      headers: {
        'X-Execution-Id': run.execution_id,
        'X-Exit-Code': '3',
        'RateLimit-Limit': '60',
        'RateLimit-Remaining': '59',
        'Preference-Applied': 'fail-status',
      },
      body: { output: 'out\n', exit_code: 3, execution_id: run.execution_id },
    });
  });

  test('reads an error, and what the key may call', async () => {
    const read = (path: string) =>
      page.evaluate(
        async ({ url, key }) => {
          const response = await fetch(url, { headers: { 'X-API-Key': key } });
          return [response.status, ((await response.json()) as { code?: string }).code] as const;
        },
        { url: `${world.hub.baseUrl}/v1/${world.start.username}${path}`, key: world.start.apiKey },
      );
    expect(await read('/nothing')).toEqual([404, 'not_found']);
    expect(await read('')).toEqual([200, undefined]);
    expect(await read('/openapi.json')).toEqual([200, undefined]);
  });

  test('follows a public endpoint with EventSource, and the command runs once', async () => {
    const received = page.evaluate(
      (url) =>
        new Promise<string[]>((resolve) => {
          const events: string[] = [];
          const source = new EventSource(url);
          source.onmessage = ({ data }: MessageEvent<string>) => {
            events.push(data);
            if (!data.includes('"done"')) return;
            // It reconnects by itself after the end, and the hub answers that there is no more.
            source.onerror = () => {
              if (source.readyState === EventSource.CLOSED) resolve(events);
            };
          };
        }),
      world.urlOf('open'),
    );
    const run = await agent.receive('run');
    agent.output(run.execution_id, 1, 'one\ntwo\n');
    agent.end(run.execution_id, 1);
    expect((await received).map((data) => JSON.parse(data) as object)).toEqual([
      { type: 'output', data: 'one' },
      { type: 'output', data: 'two' },
      { type: 'done', exit_code: 0, duration_ms: 5 },
    ]);
    const listed = await world.manage('/executions?endpoint=open');
    expect(((await listed.json()) as { items: unknown[] }).items).toHaveLength(1);
  });

  test('can do nothing with the management API', async () => {
    const tried = await page.evaluate(
      ({ url, token }) =>
        fetch(url, { headers: { authorization: `Bearer ${token}` } }).then(
          () => 'read',
          () => 'blocked',
        ),
      { url: `${world.hub.hubUrl}/endpoints`, token: world.start.accessToken },
    );
    expect(tried).toBe('blocked');
  });

  test('learns from the client that a browser does not say where a former username leads', async () => {
    const owner = await signIn(world, 'operator@localhost');
    const body = { username: 'acme', old_urls: 'redirect' };
    expect((await owner.ask('PATCH', '/workspace/username', { body })).status).toBe(200);
    const said = await page.evaluate(
      async ({ script, baseUrl, apiKey, username }) => {
        const { SvcClient: Client } = (await import(script)) as { SvcClient: typeof SvcClient };
        const list = async (owner: string) => await new Client({ baseUrl, apiKey }).list(owner).next();
        const present = await list('acme').then(({ value }) => (value as { name: string }).name);
        return [present, await list(username).catch((error: unknown) => String(error))];
      },
      {
        script: '/client.js',
        baseUrl: world.hub.baseUrl,
        apiKey: world.start.apiKey,
        username: world.start.username,
      },
    );
    const url = `${world.hub.baseUrl}/v1/${world.start.username}`;
    const reason = 'a browser does not say where: use the present username';
    expect(said).toEqual(['job', `SvcError: ${url} redirects, and ${reason}`]);
  });
});

/** The client in one file, as a bundler makes it. */
async function clientForBrowsers(): Promise<Blob> {
  const source = join(import.meta.dir, '../../clients/typescript/src/client.ts');
  const { outputs } = await Bun.build({ entrypoints: [source], target: 'browser' });
  const [file] = outputs;
  if (file === undefined) throw new Error('the client was not built');
  return file;
}
