// Pages of other sites cannot drive the server, programs can (decision 51, the standalone server). What a browser really
// sends: test/browser.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { exchange, readAnswer } from '../raw-http.ts';
import { serveWorld, type World } from '../world.ts';

const TOUCH = [{ name: 'touch', command: 'touch ran' }];
const CHROME = 'User-Agent: Mozilla/5.0 (X11; Linux x86_64)';
const CROSS_SITE = 'Sec-Fetch-Site: cross-site';
const SAME_ORIGIN = 'Sec-Fetch-Site: same-origin';

let world: World;
beforeAll(async () => {
  world = await serveWorld(TOUCH, { args: ['--allow-host', 'Build.Example.com'] });
});
afterAll(() => world[Symbol.asyncDispose]());

async function send(to: World, host: string, ...headers: string[]) {
  const canary = join(to.folder, 'ran');
  rmSync(canary, { force: true });
  const lines = ['GET /touch HTTP/1.1', `Host: ${host}`, 'Connection: close', ...headers, '', ''];
  const { status, body } = readAnswer(await exchange(to.url, lines.join('\r\n')));
  return { status, ran: existsSync(canary), text: Buffer.from(body).toString() };
}

test('curl runs it by a name of this server, and by no other name', async () => {
  const CURL = 'User-Agent: curl/8.14.1';
  for (const host of ['localhost', '127.0.0.1:8080', hostname(), 'build.example.com'])
    expect(await send(world, host, CURL)).toMatchObject({ status: 200, ran: true });
  for (const headers of [[CURL], []]) {
    const answer = await send(world, 'any.name.example', ...headers);
    expect(answer).toMatchObject({ status: 403, ran: false });
    expect(answer.text).toContain('--allow-host any.name.example');
  }
});

test('/health and /endpoints answer under a name of this server only', async () => {
  for (const path of ['/health', '/endpoints', '/nothing'])
    for (const [host, expected] of [
      ['evil.example', 403],
      ['localhost', path === '/nothing' ? 404 : 200],
    ] as const) {
      const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, 'Connection: close', '', ''];
      const { status } = readAnswer(await exchange(world.url, lines.join('\r\n')));
      expect([path, host, status]).toEqual([path, host, expected]);
    }
});

test('a request that a browser sends ahead of time runs nothing', async () => {
  for (const header of ['X-Moz: prefetch', 'Purpose: prefetch', 'Sec-Purpose: prefetch;prerender'])
    expect(await send(world, 'localhost', header)).toMatchObject({ status: 403, ran: false });
});

test('a page of another site runs nothing', async () => {
  expect(await send(world, 'localhost', CHROME, CROSS_SITE)).toMatchObject({ status: 403, ran: false });
  expect(await send(world, 'localhost', 'Origin: https://evil.example')).toMatchObject({
    status: 403,
    ran: false,
  });
});

test('a page of this server runs it, also under its other names', async () => {
  for (const host of ['localhost', '127.0.0.1:8080', '[::1]', hostname(), 'build.example.com:443']) {
    expect(await send(world, host, CHROME, SAME_ORIGIN)).toMatchObject({ status: 200, ran: true });
  }
});

test('a page that DNS rebinding brought here runs nothing', async () => {
  const answer = await send(world, 'evil.example', CHROME, SAME_ORIGIN);
  expect(answer).toMatchObject({ status: 403, ran: false });
  expect(answer.text).toContain('--allow-host evil.example');
});

test('a browser that does not say which page called runs nothing, and the answer names --allow-browser', async () => {
  const answer = await send(world, '192.168.1.20:8080', CHROME);
  expect(answer).toMatchObject({ status: 403, ran: false });
  expect(answer.text).toContain('--allow-browser');
});

test('with --allow-browser it does, but still not for a page of another site', async () => {
  await using open = await serveWorld(TOUCH, { args: ['--allow-browser'] });
  expect(await send(open, '192.168.1.20:8080', CHROME)).toMatchObject({ status: 200, ran: true });
  expect(await send(open, '192.168.1.20:8080', CHROME, CROSS_SITE)).toMatchObject({
    status: 403,
    ran: false,
  });
  expect(await send(open, '192.168.1.20:8080', CHROME, 'Origin: http://evil.example')).toMatchObject({
    status: 403,
    ran: false,
  });
  expect(await send(open, 'evil.example', CHROME)).toMatchObject({ status: 403, ran: false });
});

test('no page of another site sees what is served, and none can read any answer', async () => {
  const from = { headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' } };
  expect((await fetch(`${world.url}/endpoints`, from)).status).toBe(403);
  const health = await fetch(`${world.url}/health`, from);
  expect(health.status).toBe(200);
  expect([...health.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
});
