// HEAD answers with the status, the headers and the length of a GET (RFC 9110, section 9.3.2).
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { exchange, readAnswer } from '../raw-http.ts';

let world: HubWorld;
beforeAll(async () => {
  world = await hubWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

async function raw(method: string, path: string, ...more: readonly string[]) {
  const head = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${new URL(world.hub.hubUrl).host}`,
    'Connection: close',
    `Authorization: Bearer ${world.start.accessToken}`,
    ...more,
  ];
  return readAnswer(await exchange(world.hub.hubUrl, `${head.join('\r\n')}\r\n\r\n`));
}

test.each(['/openapi.json', '/endpoints', '/login', '/nothing/here', '/executions/none', '/v1/nobody/none'])(
  'HEAD %s has the length of the GET and no body',
  async (path) => {
    const [get, head] = [await raw('GET', path), await raw('HEAD', path)];
    expect([head.status, head.body.length]).toEqual([get.status, 0]);
    expect(head.headers.get('content-length')).toBe(String(get.body.length));
    expect(get.body.length).toBeGreaterThan(0);
  },
);

test.each(['/events', '/metrics'])('HEAD %s, whose length is not known before, claims none', async (path) => {
  const head = await world.manage(path, { method: 'HEAD' });
  expect([head.status, head.headers.has('content-length')]).toEqual([200, false]);
});

test('a long list of executions is compressed for those who accept it', async () => {
  const body = JSON.stringify({ name: 'offline', command: 'true' });
  await world.manage('/endpoints', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  // Without an agent each call is a record that it was refused.
  for (let n = 0; n < 20; n += 1) await world.call('offline');
  const gzip = 'Accept-Encoding: gzip';
  const [plain, short] = [await raw('GET', '/executions'), await raw('GET', '/executions', gzip)];
  expect([plain.headers.get('content-encoding'), short.headers.get('content-encoding')]).toEqual([
    undefined,
    'gzip',
  ]);
  expect([plain, short].map(({ headers }) => headers.get('vary'))).toEqual([
    'Accept-Encoding',
    'Accept-Encoding',
  ]);
  expect(short.body.length * 4).toBeLessThan(plain.body.length);
  const head = await raw('HEAD', '/executions', gzip);
  expect(head.headers.get('content-length')).toBe(short.headers.get('content-length'));
});
