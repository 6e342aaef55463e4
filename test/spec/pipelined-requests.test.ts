// Two requests in one write (HTTP/1.1 pipelining): nothing runs, and the connection closes. Decision 14, nothing runs
// before its record.
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hubWorld } from '../hub-world.ts';
import { exchange } from '../raw-http.ts';
import { serveWorld } from '../world.ts';

/** A GET, and a POST with a body in one piece or in chunks. */
function requests(path: string, headers: string): string[] {
  const request = (method: string, more: string, body = '') =>
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}${more}\r\n${body}`;
  const type = 'Content-Type: application/json\r\n';
  return [
    request('GET', ''),
    request('POST', `${type}Content-Length: 2\r\n`, '{}'),
    request('POST', `${type}Transfer-Encoding: chunked\r\n`, '2\r\n{}\r\n0\r\n\r\n'),
  ];
}

test('a hub runs neither of two calls that came in one write', async () => {
  await using world = await hubWorld();
  await using agent = await world.agent({ endpoints: [{ name: 'job', command: 'true' }] });
  const { pathname } = new URL(world.urlOf('job'));
  const key = `X-API-Key: ${world.start.apiKey}\r\n`;
  for (const one of requests(pathname, key)) {
    const answer = await exchange(world.hub.hubUrl, one + one);
    expect(Buffer.from(answer).toString()).toBe('');
  }
  const bearer = `Authorization: Bearer ${world.start.accessToken}\r\n`;
  for (const one of requests('/executions', bearer).slice(1)) {
    const body = one
      .replace('{}', '{"endpoint":"job"}')
      .replace('Length: 2', 'Length: 18')
      .replace('\r\n2\r\n', '\r\n12\r\n');
    expect(Buffer.from(await exchange(world.hub.hubUrl, body + body)).toString()).toBe('');
  }
  const called = world.call('job');
  const run = await agent.receive('run');
  agent.end(run.execution_id, 0);
  expect((await called).status).toBe(200);
  const { items } = (await (await world.manage('/executions')).json()) as {
    items: { execution_id: string }[];
  };
  expect(items.map(({ execution_id: id }) => id)).toEqual([run.execution_id]);
});

test('svc serve runs neither', async () => {
  await using world = await serveWorld([
    { name: 'job', command: 'echo x >> ran' },
    { name: 'other', command: 'true' },
  ]);
  for (const one of requests('/job', '')) await exchange(world.url, one + one);
  expect((await fetch(`${world.url}/other`)).status).toBe(200);
  expect(existsSync(join(world.folder, 'ran'))).toBe(false);
});

test('a caller that sends one request and closes its side gets its command', async () => {
  await using world = await serveWorld([{ name: 'job', command: 'echo x >> ran' }]);
  const [get = ''] = requests('/job', 'Connection: close\r\nAccept: application/json\r\n');
  expect(Buffer.from(await exchange(world.url, get)).toString()).toContain('"exit_code":0');
});
