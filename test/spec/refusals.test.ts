// Every way to say no, with status, code and headers: reference 7, decisions 8, 9, 11, 17, 25 and 51.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { exchange, readAnswer } from '../raw-http.ts';
import { serveWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await serveWorld([
    {
      name: 'run',
      command: 'touch ran',
      args: [
        { name: 'level', choices: ['low', 'high'] },
        { name: 'count', type: 'integer' },
      ],
    },
    { name: 'few', command: 'echo a' },
    { name: 'listed', command: 'touch ran', args: [{ name: 'one', choices_from: 'few' }] },
    { name: 'no-list', command: 'touch ran', args: [{ name: 'one', choices_from: 'fails' }] },
    { name: 'fails', command: 'false' },
    { name: 'word', command: 'echo {{word}}', args: [{ name: 'word' }] },
    { name: 'get', command: 'touch ran', method: 'GET' },
    { name: 'post', command: 'touch ran', method: 'POST' },
    { name: 'approve', command: 'touch ran', approval_required: true },
    { name: 'hosted', command: 'touch ran', agent_name: 'hosted' },
    { name: 'secret', command: 'touch ran $svc:TOKEN' },
    { name: 'slow', command: 'sleep 30', timeout: 1 },
    { name: 'missing', command: './no-such-program' },
    { name: 'elsewhere', command: 'true', cwd: 'no/such/folder' },
    { name: 'broken', command: 'echo text', transform: { parse: 'json' } },
  ]);
});
afterAll(async () => {
  // The command of no refused call has run: it would have left this file.
  expect(existsSync(join(world.folder, 'ran'))).toBe(false);
  await world[Symbol.asyncDispose]();
});

const JSON_BODY = { 'content-type': 'application/json' };

async function refused(path: string, init: RequestInit = {}) {
  const response = await fetch(`${world.url}${path}`, {
    ...init,
    headers: { accept: 'application/json', ...(init.headers as Record<string, string>) },
  });
  expect(response.headers.get('content-type')).toBe('application/json');
  const body = (await response.json()) as { error: string; code: string; details?: Record<string, unknown> };
  expect(body.error).toBeString();
  return { status: response.status, headers: response.headers, ...body };
}

const post = (body: BodyInit, headers: Record<string, string> = JSON_BODY): RequestInit => ({
  method: 'POST',
  body,
  headers,
});

describe('400 invalid_argument', () => {
  const table: [what: string, path: string, init: RequestInit, error: string][] = [
    [
      'an unknown argument',
      '/run?levle=low',
      {},
      'argument "levle": there is no argument of this name; did you mean "level"?',
    ],
    ['a value that is no choice', '/run?level=medium', {}, 'argument "level"'],
    ['a value that is not in its list', '/listed?one=b', {}, 'argument "one": "b" is not in the list'],
    ['a value of another type', '/run?count=many', {}, 'argument "count"'],
    [
      'a value given in query and body',
      '/run?level=low',
      post('{"level": "low"}'),
      'argument "level": it is given twice; give it once',
    ],
    [
      'a value given twice in the body',
      '/run',
      post('{"level": "low", "level": "high"}'),
      'argument "level": it is given twice; give it once',
    ],
    [
      'a value that is null',
      '/run',
      post('{"level": null}'),
      'argument "level": a string, a number or a boolean is expected, not null',
    ],
    [
      'a value that is an array',
      '/run',
      post('{"level": ["low"]}'),
      'argument "level": a string, a number or a boolean is expected, not an array',
    ],
    [
      'a value that is an object',
      '/run',
      post('{"level": {"a": 1}}'),
      'argument "level": a string, a number or a boolean is expected, not an object',
    ],
    ['a value that looks like an option', '/word?word=-rf', {}, 'argument "word"'],
    ['a NUL in a value', '/word?word=a%00b', {}, 'argument "word"'],
    ['a query that is no UTF-8', '/word?word=%ff', {}, '"%ff" in the query'],
    ['a percent sign that is not escaped', '/word?word=100%', {}, '"100%" in the query'],
  ];
  test.each(table)('for %s', async (_, path, init, error) => {
    const answer = await refused(path, init);
    expect(answer).toMatchObject({ status: 400, code: 'invalid_argument' });
    expect(answer.error).toContain(error);
  });

  test('lists all that is wrong at once', async () => {
    const { details } = await refused('/run?level=medium&count=many&other=1');
    expect(details?.problems).toHaveLength(3);
  });

  test('for a GET with a body, in whatever header its length stands', async () => {
    const head =
      'GET /run HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n';
    const bodies = ['Content-Length: 2\r\n\r\n{}', 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'];
    for (const body of bodies) {
      const answer = readAnswer(await exchange(world.url, head + body));
      expect(answer.status).toBe(400);
      expect(Buffer.from(answer.body).toString()).toContain('a GET with a body');
    }
  });

  test('for two Host headers', async () => {
    const request = 'GET /run HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    expect(readAnswer(await exchange(world.url, request)).status).toBe(400);
  });
});

describe('400 invalid_json', () => {
  const table: [what: string, body: BodyInit, error: string][] = [
    ['a body that is no JSON', '{"level": low}', 'line 1, column 11'],
    ['a body that breaks off', '{"level": "low"', 'line 1, column 16'],
    ['a body that is no object', '["low"]', 'line 1, column 1'],
    ['a body that is no UTF-8', Uint8Array.of(0x7b, 0xff, 0x7d), 'not UTF-8'],
  ];
  test.each(table)('for %s', async (_, body, error) => {
    const answer = await refused('/run', post(body));
    expect(answer).toMatchObject({ status: 400, code: 'invalid_json' });
    expect(answer.error).toContain(error);
  });
});

describe('404 not_found', () => {
  test.each(['/', '/nothing', '/run/', '/run/more', '/RUN', '/%72un', '/endpoints/run'])(
    'for %s',
    async (path) => {
      expect(await refused(path)).toMatchObject({ status: 404, code: 'not_found' });
    },
  );
});

describe('405 method_not_allowed', () => {
  const table: [method: string, path: string, allow: string][] = [
    ['POST', '/get', 'GET'],
    ['GET', '/post', 'POST'],
    ['PUT', '/run', 'GET, POST'],
    ['DELETE', '/run', 'GET, POST'],
    ['PATCH', '/run', 'GET, POST'],
    ['OPTIONS', '/run', 'GET, POST'],
    ['POST', '/health', 'GET, HEAD'],
    ['POST', '/endpoints', 'GET, HEAD'],
  ];
  test.each(table)('for %s %s, with Allow: %s', async (method, path, allow) => {
    const answer = await refused(path, { method });
    expect(answer).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(answer.headers.get('allow')).toBe(allow);
  });

  test('for HEAD, which executes nothing either', async () => {
    const response = await fetch(`${world.url}/get`, { method: 'HEAD' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET']);
  });
});

describe('413 payload_too_large', () => {
  const tooMuch = new Uint8Array(1024 * 1024 + 1).fill(0x20);

  test('for a body over a mebibyte with its length', async () => {
    expect(await refused('/run', post(tooMuch))).toMatchObject({ status: 413, code: 'payload_too_large' });
  });

  test('for a body over a mebibyte that does not say how long it is, and is still being sent', async () => {
    const curl = Bun.spawn(
      [
        'sh',
        '-c',
        'head -c 100000000 /dev/zero | curl -s -X POST -T - -H "Content-Type: application/json" "$0"',
        `${world.url}/run`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    expect(await new Response(curl.stdout).json()).toMatchObject({ code: 'payload_too_large' });
  });

  test('not for a body of exactly a mebibyte', async () => {
    const body = `{"word":"x"}${' '.repeat(1024 * 1024 - 12)}`;
    expect((await fetch(`${world.url}/word`, post(body))).status).toBe(200);
  });

  test('for a value over 64 KiB', async () => {
    const answer = await refused('/word', post(JSON.stringify({ word: 'x'.repeat(65537) })));
    expect(answer).toMatchObject({ status: 413, code: 'payload_too_large' });
  });
});

describe('415 unsupported_media_type', () => {
  const table: [what: string, headers: Record<string, string>][] = [
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['text, which a page of another site may send', { 'content-type': 'text/plain' }],
    ['JSON of another kind', { 'content-type': 'application/json-patch+json' }],
    ['JSON in another encoding', { 'content-type': 'application/json; charset=latin1' }],
    ['a compressed body', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
  ];
  test.each(table)('for %s', async (_, headers) => {
    const answer = await refused('/run', post('{}', headers));
    expect(answer).toMatchObject({ status: 415, code: 'unsupported_media_type' });
  });

  test('for a body that does not say what it is', async () => {
    const request =
      'POST /run HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}';
    expect(readAnswer(await exchange(world.url, request)).status).toBe(415);
  });
});

describe('501 not_supported, also printed at the start', () => {
  test.each([
    ['approve', 'approval (approval_required)'],
    ['hosted', 'the cloud runner (agent_name: hosted)'],
    ['secret', 'a managed secret ($svc:TOKEN)'],
  ])('for %s, which needs %s', async (name, needs) => {
    const answer = await refused(`/${name}`);
    expect(answer).toMatchObject({ status: 501, code: 'not_supported' });
    expect(answer.error).toContain(needs);
    expect(
      world.ready.warnings.some((warning) => warning.includes(`"${name}"`) && warning.includes(needs)),
    ).toBe(true);
  });
});

describe('502', () => {
  const table: [path: string, code: string, error: RegExp][] = [
    ['/slow', 'timeout', /^command timed out after 1 seconds$/],
    ['/missing', 'spawn_failed', /no such program: "\.\/no-such-program"/],
    ['/elsewhere', 'spawn_failed', /the working directory ".*no\/such\/folder" does not exist/],
    ['/broken', 'transform_failed', /^the output could not be transformed: /],
  ];
  test.each(table)('for %s: %s', async (path, code, error) => {
    const answer = await refused(path);
    expect(answer).toMatchObject({ status: 502, code });
    expect(answer.error).toMatch(error);
  });
});

test('any Last-Event-ID is answered with 204, and nothing runs', async () => {
  for (const id of ['1', '', 'x']) {
    const response = await fetch(`${world.url}/run`, { headers: { 'last-event-id': id } });
    expect([response.status, await response.text()]).toEqual([204, '']);
  }
});

test('a list that cannot be read runs nothing', async () => {
  const response = await fetch(`${world.url}/no-list?one=a`, { headers: { accept: 'application/json' } });
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({
    code: 'unavailable',
    error: 'argument "one" cannot be checked: "fails" ended with exit code 1',
  });
});
