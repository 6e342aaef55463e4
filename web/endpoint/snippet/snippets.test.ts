// The snippets are run as people would run them, against a server that records the requests.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import naughty from 'big-list-of-naughty-strings';
import type { WireArgument } from '../wire-endpoint.ts';
import { shellWord } from './literal.ts';
import { type ResponseMode, snippetCall } from './snippet-call.ts';
import { SNIPPETS } from './snippets.ts';

const HOSTILE = [
  "it's",
  '"; rm -rf / #',
  '$(touch /tmp/never)',
  '`id`',
  '!history',
  '\\',
  '\\n',
  "\\'",
  'two\nlines\r\n\ttab',
  '\u202Egnp.exe',
  'zero\u200Bwidth',
  '\u{e0001}tag',
  '{{name}}',
  '@/etc/passwd',
  '=x',
  '&a=b#c%20+',
  '</script>',
  '%s%n',
  '~',
  '*',
  '',
  ' ',
  '-v',
  '你好 🙂',
  '\u001b[31m',
  '\u007f\u0001',
];
/** A value contains no NUL and no half of a surrogate pair (decision 8, leading dash and sizes of values). */
const VALUES = [...HOSTILE, ...naughty].filter((value) => !value.includes('\0') && value.isWellFormed());

const args: WireArgument[] = VALUES.map((_, index) => ({
  name: `v${index}`,
  type: 'text',
  inferred: true,
  required: false,
  secret: false,
  allow_dash: true,
}));
const values = new Map(VALUES.map((value, index) => [`v${index}`, value]));
const sent = Object.fromEntries(values);

interface Got {
  readonly method: string;
  readonly key: string | null;
  readonly accept: string | null;
  readonly values: Record<string, string>;
}

let server: Bun.Server<undefined>;
let got: Got | undefined;
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    maxRequestBodySize: 1_000_000,
    async fetch(request) {
      const body = await request.text();
      got = {
        method: request.method,
        key: request.headers.get('x-api-key'),
        accept: request.headers.get('accept'),
        values: body === '' ? Object.fromEntries(new URL(request.url).searchParams) : JSON.parse(body),
      };
      return Response.json({ output: 'ok\n', exit_code: 0 });
    },
  });
});
afterAll(() => server.stop(true));

const RUN = {
  curl: (text: string) => ['bash', '-c', text],
  fetch: (text: string) => [process.execPath, '-e', text],
  python: (text: string) => ['python3', '-c', text],
} as const;

async function run(words: readonly string[]): Promise<string> {
  const child = Bun.spawn([...words], {
    env: { PATH: process.env.PATH ?? '', SVC_API_KEY: 'svc_sk_test', LC_ALL: 'C.UTF-8' },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}

const endpoint = (method: 'GET' | 'POST' | null, isPublic = false, taken = args) => ({
  url: `http://127.0.0.1:${server.port}/v1/ada/deploy`,
  method,
  public: isPublic,
  args: taken,
});

describe.each(Object.keys(RUN) as (keyof typeof RUN)[])('the snippet for %s', (language) => {
  test.each(['stream', 'json'] as const)(
    'sends every hostile value unchanged, and reads the %s',
    async (mode) => {
      const text = SNIPPETS[language].write(snippetCall(endpoint('POST'), values, mode));
      expect(await run(RUN[language](text))).toContain('ok');
      expect(got).toMatchObject({ method: 'POST', key: 'svc_sk_test', values: sent });
      expect(got?.accept === 'application/json').toBe(mode === 'json');
    },
  );

  test('has the values of a GET in its query', async () => {
    const few = new Map([...values].slice(0, HOSTILE.length));
    const text = SNIPPETS[language].write(snippetCall(endpoint('GET'), few, 'stream'));
    await run(RUN[language](text));
    expect(got).toMatchObject({ method: 'GET', values: Object.fromEntries(few) });
  });

  test('of a public endpoint without arguments sends neither key nor body', async () => {
    await run(
      RUN[language](SNIPPETS[language].write(snippetCall(endpoint(null, true, []), new Map(), 'stream'))),
    );
    expect(got).toMatchObject({ method: 'POST', key: null, values: {} });
  });

  test('shows whatever a value hides', () => {
    const text = SNIPPETS[language].write(snippetCall(endpoint('POST'), values, 'stream'));
    expect(text).not.toMatch(/[\u202e\u200b\u001b\u{e0001}]/u);
  });
});

describe('the snippet for svc', () => {
  test('passes every hostile value as one word', async () => {
    const text = SNIPPETS.cli.write(snippetCall(endpoint('POST'), values, 'json' satisfies ResponseMode));
    const printed = await run(['bash', '-c', `svc() { printf '%s\\0' "$@"; }\n${text}`]);
    const words = printed.split('\0').slice(0, -1);
    expect(words).toEqual([
      'call',
      endpoint('POST').url,
      ...VALUES.map((value, index) => `v${index}=${value}`),
      '--json',
    ]);
  });

  test('quotes for any POSIX shell what has nothing to hide', () => {
    expect(shellWord("it's")).toBe(String.raw`'it'\''s'`);
    expect(shellWord('plain-word_1.2:3')).toBe('plain-word_1.2:3');
    expect(shellWord('')).toBe("''");
    expect(shellWord('a\u202Eb')).toBe(String.raw`$'a\xe2\x80\xaeb'`);
  });
});

test('secrets, and what is still missing, stand by name', () => {
  const argument = {
    type: 'text',
    inferred: true,
    required: true,
    secret: false,
    allow_dash: false,
  } as const;
  const taken: WireArgument[] = [
    { ...argument, name: 'target' },
    { ...argument, name: 'token', secret: true },
    { ...argument, name: 'note', required: false },
    { ...argument, name: 'count', default: '1' },
  ];
  const call = snippetCall(endpoint('POST', false, taken), new Map([['token', 'hunter2']]), 'stream');
  expect(call.values).toEqual([
    ['target', '<target>'],
    ['token', '<token>'],
  ]);
});
