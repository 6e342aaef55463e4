import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { ParseKind } from '@svc/core/execution/transform/transform';
import { LIMITS } from '@svc/core/plan/limits';
import { transformOutput } from './transform-output.ts';

setDefaultTimeout(60_000);

const utf8 = (text: string) => new TextEncoder().encode(text);

async function reason(select: string, text = 'null', parse: ParseKind = 'json'): Promise<string> {
  const result = await transformOutput({ parse, select, onError: 'fail' }, utf8(text));
  return result.kind === 'failed' ? result.reason : `data: ${result.json}`;
}

async function json(select: string, text = 'null', parse: ParseKind = 'json'): Promise<string> {
  const result = await transformOutput({ parse, select, onError: 'fail' }, utf8(text));
  return result.kind === 'data' ? result.json : `failed: ${result.reason}`;
}

describe('without select', () => {
  const parse = (bytes: Uint8Array, kind: ParseKind = 'json') =>
    transformOutput({ parse: kind, onError: 'fail' }, bytes);

  test('JSON keeps its digits and becomes one line', async () => {
    const bytes = utf8('{\n  "a": 1e400,\n  "b": 100000000000000000000001\n}\n');
    expect(await parse(bytes)).toEqual({ kind: 'data', json: '{"a":1e400,"b":100000000000000000000001}' });
  });

  test('a byte order mark is dropped, bytes that are not UTF-8 are replaced', async () => {
    const bytes = Uint8Array.from([0xef, 0xbb, 0xbf, 0x22, 0xff, 0x22]);
    expect(await parse(bytes)).toEqual({ kind: 'data', json: '"\ufffd"' });
  });

  test('output that cannot be parsed is a failure with its reason', async () => {
    expect(await parse(utf8('{"a":}'))).toEqual({
      kind: 'failed',
      reason: 'json: line 1, column 6: "}" found, a value expected',
    });
  });

  test('a result over the limit is a failure', async () => {
    const quotes = `${'"'.repeat(100)}\n`.repeat(60_000);
    expect(await parse(utf8(quotes), 'lines')).toEqual({
      kind: 'failed',
      reason: 'the result is longer than 10 MiB',
    });
  });
});

describe('with a schema', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const checked = (text: string, select?: string) =>
    transformOutput({ parse: 'json', schema, onError: 'fail', ...(select && { select }) }, utf8(text));

  test('a result that matches it stays as it is', async () => {
    expect(await checked('{"n":100000000000000000000001}')).toEqual({
      kind: 'data',
      json: '{"n":100000000000000000000001}',
    });
  });

  test('a result that does not is a failure that names the place', async () => {
    expect(await checked('{"n":"1"}')).toEqual({
      kind: 'failed',
      reason:
        'the result does not match the schema at /n: Instance type "string" is invalid. Expected "integer".',
    });
    expect(await checked('{}')).toMatchObject({ kind: 'failed' });
  });

  test('the result of select counts, not what was parsed', async () => {
    expect(await checked('{"n":1}', '.n')).toMatchObject({ kind: 'failed' });
    expect(await checked('[1]', '{n: .[0]}')).toEqual({ kind: 'data', json: '{"n":1}' });
  });
});

describe('select', () => {
  test('one value is the result, none is null, several are an array', async () => {
    expect(await json('.a', '{"a":{"b":[1]}}')).toBe('{"b":[1]}');
    expect(await json('empty')).toBe('null');
    expect(await json('.[]', '[1,"2\\n",[3]]')).toBe('[1,"2\\n",[3]]');
    expect(await json('.[]', '[[1,2]]')).toBe('[1,2]');
  });

  test('works on the result of every kind of parse', async () => {
    expect(await json('map(.b|tonumber)|add', 'a,b\n1,2\n3,4\n', 'csv')).toBe('6');
    expect(
      await json('map(select(.["Use%"]|rtrimstr("%")|tonumber > 80)|.["Mounted on"])', DF, 'table'),
    ).toBe('["/data"]');
  });

  test('numbers that are passed on keep their digits, computed ones are doubles', async () => {
    const text = '{"a":100000000000000000000001,"b":9007199254740993}';
    expect(await json('.a', text)).toBe('100000000000000000000001');
    expect(await json('.b + 0', text)).toBe('9007199254740992');
  });

  test('text is preserved: every plane, NUL, line separators', async () => {
    const text = JSON.stringify('é😀\0\u2028"\\');
    expect(JSON.parse(await json('.', text))).toBe('é😀\0\u2028"\\');
  });

  test("jq's own message is the reason if it does not compile, fails or aborts", async () => {
    expect(await reason('.[')).toContain('syntax error, unexpected end of file');
    expect(await reason('nonsense')).toContain('nonsense/0 is not defined');
    expect(await reason('.a', '1')).toContain('Cannot index number with string "a"');
    expect(await reason('error("boom")')).toBe('select: jq: error (at <stdin>:0): boom');
    expect(await reason('"no data" | halt_error')).toBe('select: no data');
    expect(await reason('.', '['.repeat(300) + ']'.repeat(300))).toContain('Exceeds depth limit');
  });

  test('a failure after some values is a failure', async () => {
    expect(await reason('1, 2, error("late")')).toBe('select: jq: error (at <stdin>:0): late');
  });

  test('sees no environment, no file and no module', async () => {
    expect(await json('[$ENV, env, $ENV.PATH, env.HOME]')).toBe('[{},{},null,null]');
    expect(await json('[inputs]')).toBe('[]');
    expect(await json('input_filename')).toBe('"<stdin>"');
    expect(await reason('include "x"; .')).toContain('module not found');
    expect(await reason('import "/etc/passwd" as $p; $p')).toContain('module not found');
    expect(await reason('import "passwd" as $p {search: "/etc"}; $p')).toContain('module not found');
  });

  test('a program is never read as an option', async () => {
    expect(await reason('--help')).toContain('help/0 is not defined');
    expect(await reason('-n')).toContain('n/0 is not defined');
    expect(await json('-1')).toBe('-1');
  });

  test('runs share no state', async () => {
    expect(await reason('error("one")', '"first"')).toContain('one');
    expect(await json('.', '"second"')).toBe('"second"');
    expect(await Promise.all(['1', '2', '3'].map((text) => json('.', text)))).toEqual(['1', '2', '3']);
  });

  test('endless output is cut off', async () => {
    expect(await reason('"x" * 100000 | repeat(.)')).toBe('select: the result is longer than 10 MiB');
  });

  test('memory over the limit is refused', async () => {
    const text = JSON.stringify('x'.repeat(5 * 1024 ** 2));
    expect(await json('[range(20) as $n | . + "\\($n)"] | length', text)).toBe('20');
    expect(await reason('[range(80) as $n | . + "\\($n)"] | length', text)).toBe(
      'select: jq broke off: jq: error: cannot allocate memory',
    );
  });

  test('a program of the greatest length runs, a longer one is refused', async () => {
    const longest = `"ok"${' '.repeat(LIMITS.selectBytes - 4)}`;
    expect(await json(longest)).toBe('"ok"');
    expect(await reason(`${longest} `)).toBe('select: the program is longer than 16 KiB');
  });
});

const DF = `Filesystem      Size  Used Avail Use% Mounted on
/dev/vda        252G   24G   79G  23% /
/dev/vdb        100G   95G    5G  95% /data
`;
