import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readNetwork } from '@svc/core/alert/address';
import { TargetError } from '../alerts/delivery/checked-addresses.ts';
import { filteredFetch } from './filtered-fetch.ts';

let server: Bun.Server<undefined>;
const asked: string[] = [];
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url);
      asked.push(`${request.method} ${pathname} ${await request.text()}`);
      if (pathname === '/long') return new Response('x'.repeat(1024 * 1024 + 1));
      if (pathname === '/moved') return new Response(null, { status: 302, headers: { location: '/there' } });
      return Response.json({ host: request.headers.get('host') });
    },
  });
});
afterAll(() => server.stop(true));

const to = (address: string, allowed: readonly string[] = []) =>
  filteredFetch({
    resolve: () => Promise.resolve([address]),
    allowed: allowed.flatMap((network) => readNetwork(network) ?? []),
  });
const options = (method = 'GET', body?: URLSearchParams) =>
  ({ method, body, headers: {}, redirect: 'manual' }) as never as Parameters<
    ReturnType<typeof filteredFetch>
  >[1];

test('reads from an address that is allowed, under the name of the URL, and sends forms', async () => {
  const fetch = to('127.0.0.1', ['127.0.0.1']);
  const found = await fetch(`http://login.example:${server.port}/a`, options());
  expect(await found.json()).toEqual({ host: `login.example:${server.port}` });
  const form = new URLSearchParams({ code: 'a b' });
  await fetch(`http://login.example:${server.port}/b`, options('POST', form));
  expect(asked).toEqual(['GET /a ', 'POST /b code=a+b']);
});

test.each([
  ['a name that leads inside', 'https://login.example', '10.0.0.1'],
  ['a name that leads to this machine', 'https://login.example', '127.0.0.1'],
  ['the metadata of a cloud', 'https://login.example', '169.254.169.254'],
  ['an address inside', 'https://127.0.0.1', '127.0.0.1'],
  ['a public address without https', 'http://login.example', '8.8.8.8'],
] as const)('refuses %s before it connects', async (_what, origin, address) => {
  const before = asked.length;
  const failed = await to(address)(`${origin}:${server.port}/`, options()).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failed).toBeInstanceOf(TypeError);
  expect((failed as TypeError).cause).toBeInstanceOf(TargetError);
  expect(asked.length).toBe(before);
});

test('follows no redirect, and reads no endless answer', async () => {
  const fetch = to('127.0.0.1', ['127.0.0.1']);
  const moved = await fetch(`http://login.example:${server.port}/moved`, options());
  expect([moved.status, asked.at(-1)]).toEqual([302, 'GET /moved ']);
  const long = fetch(`http://login.example:${server.port}/long`, options());
  expect(await long.catch((error: unknown) => String(error))).toContain('fetch failed');
});
