// The answers to calls: references 2.4, 4.6 and 6, decisions 14 to 17, 27 and 51.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { EventSource } from 'eventsource';
import { createParser } from 'eventsource-parser';
import { exchange, readAnswer } from '../raw-http.ts';
import { withoutComments } from '../without-comments.ts';
import { serveWorld, type World } from '../world.ts';

let world: World;
let silentStream: ReturnType<typeof rawCall>;
beforeAll(async () => {
  world = await serveWorld([
    { name: 'hello', command: 'echo "Hello, {{name}}!"', args: [{ name: 'name', default: 'world' }] },
    { name: 'fails', command: 'echo out; echo err >&2; exit 3' },
    { name: 'killed', command: 'kill -9 $$' },
    { name: 'silent', command: 'true' },
    { name: 'table', command: 'printf "a b\\n1 2\\n"', transform: { parse: 'table' } },
    { name: 'untransformed', command: 'echo text; exit 1', transform: { parse: 'json' } },
    { name: 'broken', command: 'echo text', transform: { parse: 'json' } },
    { name: 'raw', command: 'echo text', transform: { parse: 'json', on_error: 'raw' } },
    {
      name: 'posted',
      command: "printf '[%s]' {{a}} {{b}}",
      method: 'POST',
      args: [{ name: 'a' }, { name: 'b' }],
    },
    { name: 'waits', command: 'sleep 20; echo woken' },
    { name: 'missing', command: './no-such-program' },
    { name: 'slow', command: 'echo begun; sleep 30', timeout: 3 },
  ]);
  silentStream = rawCall('/waits');
});
afterAll(() => world[Symbol.asyncDispose]());

const JSON_ANSWER = { headers: { accept: 'application/json' } };

async function rawCall(path: string, headers = ''): Promise<ReturnType<typeof readAnswer>> {
  const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`;
  return readAnswer(await exchange(world.url, request));
}

const text = ({ body }: { body: Uint8Array }) => new TextDecoder().decode(body);

/** Durations differ from run to run; all else is compared byte by byte. */
function withoutDuration(stream: string): string {
  return stream.replace(/"duration_ms":\d+/, '"duration_ms":N');
}

/** The events of a stream, whose command may have been silent for a second on a busy machine. */
async function streamed(path: string): Promise<string> {
  const events = withoutDuration(withoutComments(text(await rawCall(path))));
  return events.replace(/("execution_id":")[^"]+/, '$1ID');
}

describe('a stream', () => {
  test('has the bytes of reference 6 and the headers of decision 15, and nothing else', async () => {
    const answer = await rawCall('/hello?name=Ada');
    expect(answer.status).toBe(200);
    expect(withoutDuration(withoutComments(text(answer)))).toBe(
      'data: {"type":"output","data":"Hello, Ada!"}\n\ndata: {"type":"done","exit_code":0,"duration_ms":N}\n\n',
    );
    const headers = new Map(answer.headers);
    headers.delete('date');
    expect([...headers].sort()).toEqual([
      ['cache-control', 'no-cache, no-transform'],
      ['content-type', 'text/event-stream; charset=utf-8'],
      ['transfer-encoding', 'chunked'],
      ['x-accel-buffering', 'no'],
      ['x-execution-id', expect.any(String)],
    ]);
  });

  test('of a command that prints nothing is its end alone', async () => {
    expect(await streamed('/silent')).toBe('data: {"type":"done","exit_code":0,"duration_ms":N}\n\n');
  });

  test('merges stderr in the order of writing and ends in the exit code', async () => {
    expect(await streamed('/fails')).toBe(
      [
        'data: {"type":"output","data":"out"}',
        'data: {"type":"output","data":"err"}',
        'data: {"type":"done","exit_code":3,"duration_ms":N}',
        '',
      ].join('\n\n'),
    );
  });

  test('of a transform is the whole result at once', async () => {
    expect(await streamed('/table')).toBe(
      'data: {"type":"transformed_output","data":[{"a":"1","b":"2"}]}\n\ndata: {"type":"done","exit_code":0,"duration_ms":N}\n\n',
    );
  });

  test('of a transform that fails ends in one error', async () => {
    expect(await streamed('/broken')).toMatch(
      /^data: \{"type":"error","error":"the output could not be transformed: [^\n]+","code":"transform_failed","execution_id":"ID"\}\n\n$/,
    );
  });

  test('of a command that cannot start ends in one error', async () => {
    expect(await streamed('/missing')).toBe(
      'data: {"type":"error","error":"the command could not be started: no such program: \\"./no-such-program\\"","code":"spawn_failed","execution_id":"ID"}\n\n',
    );
  });

  test('of a command that takes too long has what it printed, then the time-out in seconds', async () => {
    expect(await streamed('/slow')).toBe(
      'data: {"type":"output","data":"begun"}\n\ndata: {"type":"error","error":"command timed out after 3 seconds","code":"timeout","execution_id":"ID"}\n\n',
    );
  });
});

describe('a stream is read by', () => {
  test('curl, a line as soon as it is printed', async () => {
    const curl = Bun.spawn(['curl', '-sN', `${world.url}/slow`], { stdio: ['ignore', 'pipe', 'inherit'] });
    let first = '';
    for await (const chunk of curl.stdout) {
      first = withoutComments(new TextDecoder().decode(chunk));
      if (first !== '') break;
    }
    expect(first).toBe('data: {"type":"output","data":"begun"}\n\n');
    curl.kill();
    await curl.exited;
  });

  test('fetch', async () => {
    const response = await fetch(`${world.url}/hello`);
    expect(withoutDuration(await response.text())).toEndWith('"exit_code":0,"duration_ms":N}\n\n');
  });

  test('eventsource-parser', async () => {
    const events: unknown[] = [];
    const parser = createParser({ onEvent: ({ data }) => events.push(JSON.parse(data)) });
    parser.feed(await (await fetch(`${world.url}/fails`)).text());
    expect(events).toEqual([
      { type: 'output', data: 'out' },
      { type: 'output', data: 'err' },
      { type: 'done', exit_code: 3, duration_ms: expect.any(Number) },
    ]);
  });

  test('an EventSource, whose reconnect runs nothing again', async () => {
    const events: unknown[] = [];
    const requests: string[] = [];
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const source = new EventSource(`${world.url}/hello?name=Ada`, {
      fetch: (url, init) => {
        const headers = new Headers({
          ...init.headers,
          ...(requests.length > 0 ? { 'last-event-id': '1' } : {}),
        });
        requests.push(headers.get('last-event-id') ?? 'first');
        return fetch(url, { ...init, headers } as RequestInit);
      },
    });
    source.onmessage = ({ data }) => events.push(JSON.parse(data));
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) resolve();
    };
    await closed;
    expect(requests).toEqual(['first', '1']);
    expect(events).toEqual([
      { type: 'output', data: 'Hello, Ada!' },
      { type: 'done', exit_code: 0, duration_ms: expect.any(Number) },
    ]);
  });
});

describe('a buffered answer', () => {
  const table: [path: string, body: unknown][] = [
    ['/hello', { output: 'Hello, world!\n', exit_code: 0 }],
    ['/hello?name=Ada%20%26%20%E2%9C%93', { output: 'Hello, Ada & ✓!\n', exit_code: 0 }],
    ['/silent', { output: '', exit_code: 0 }],
    ['/fails', { output: 'out\nerr\n', exit_code: 3 }],
    ['/killed', { output: '', exit_code: 137 }],
    ['/table', { data: [{ a: '1', b: '2' }], exit_code: 0 }],
    ['/untransformed', { output: 'text\n', exit_code: 1 }],
    ['/raw', { output: 'text\n', exit_code: 0 }],
  ];
  test.each(table)('of %s is %j', async (path, body) => {
    const response = await fetch(`${world.url}${path}`, JSON_ANSWER);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    const id = response.headers.get('x-execution-id');
    expect(await response.json()).toEqual({ ...(body as object), execution_id: id });
  });

  test('is never cached: a GET runs a command', async () => {
    const response = await fetch(`${world.url}/hello`, JSON_ANSWER);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });
});

describe('values', () => {
  const call = async (query: string, body: string) => {
    const response = await fetch(`${world.url}/posted${query}`, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json; charset=UTF-8' },
      body,
    });
    return ((await response.json()) as { output: string }).output;
  };

  test('come from the query and from the body', async () => {
    expect(await call('?a=1', '{"b": "2"}')).toBe('[1][2]');
  });

  test('are kept as they were written', async () => {
    expect(await call('', '{"a": 1.50, "b": 12345678901234567890}')).toBe('[1.50][12345678901234567890]');
    expect(await call('', '{"a": true, "b": "\\u00e9\\n"}')).toBe('[true][é\n]');
  });

  test('may all be left out, with an empty body of any type', async () => {
    const response = await fetch(`${world.url}/posted`, { method: 'POST', ...JSON_ANSWER });
    expect(await response.json()).toMatchObject({ output: '[]', exit_code: 0 });
  });
});

test('GET /health says how the server is', async () => {
  const response = await fetch(`${world.url}/health`);
  const { version } = (await import('../../package.json')) as { version: string };
  expect([response.status, await response.json()]).toEqual([
    200,
    { status: 'ok', version, uptime_s: expect.any(Number), endpoints: 12 },
  ]);
});

test('GET /endpoints lists what may be called and how', async () => {
  const { endpoints } = (await (await fetch(`${world.url}/endpoints`)).json()) as { endpoints: unknown[] };
  expect(endpoints).toHaveLength(12);
  expect(endpoints[0]).toEqual({
    name: 'hello',
    method: null,
    description: null,
    path: '/hello',
    args: [
      {
        name: 'name',
        type: 'text',
        inferred: true,
        accepts: 'any text',
        required: false,
        default: 'world',
      },
    ],
  });
  expect(endpoints[8]).toMatchObject({ name: 'posted', method: 'POST', path: '/posted' });
});

test('HEAD of them has headers and no body', async () => {
  for (const path of ['/health', '/endpoints']) {
    const response = await fetch(`${world.url}${path}`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  }
});

// Last, since the call runs beside all others.
test('a silent stream begins with a comment, and one after each 15 seconds keeps it open', async () => {
  expect(withoutDuration(text(await silentStream))).toBe(
    ': \n\n: \n\ndata: {"type":"output","data":"woken"}\n\ndata: {"type":"done","exit_code":0,"duration_ms":N}\n\n',
  );
}, 60_000);
