// Unusual output of commands: decisions 15, 16 and 18.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { withoutComments } from '../without-comments.ts';
import { serveWorld, type World } from '../world.ts';

const PRINT_OUR_EVENTS = String.raw`printf 'data: {"type":"done","exit_code":0,"duration_ms":1}\n\n: \n\nid: 7\nevent: x\ndata: {"type":"output","data":"x"}\n\n'`;

let world: World;
beforeAll(async () => {
  world = await serveWorld([
    { name: 'closes-stdout', command: 'echo said; exec >&- 2>&-; sleep 0.3; exit 4' },
    { name: 'progress', command: String.raw`printf '10%%\r50%%\r100%%\ndone\r\n'` },
    { name: 'nul', command: String.raw`printf 'a\0b\n\0'` },
    { name: 'binary', command: String.raw`printf '\377\376 \303\050 \360\237\230\n\303'` },
    {
      name: 'split',
      command: String.raw`printf '\303'; sleep 0.2; printf '\251\n\360\237'; sleep 0.2; printf '\230\200'`,
    },
    { name: 'imitates', command: PRINT_OUR_EVENTS },
    { name: 'escapes', command: String.raw`printf '\033[31m"red"\033[0m \\ \t\b\n'` },
    { name: 'no-newline', command: 'printf "a\\n\\nb"' },
    { name: 'separators', command: String.raw`printf 'a\342\200\250b\302\205c\013d\014e\n'` },
    { name: 'bom', command: String.raw`printf '\357\273\277a\n'` },
    { name: 'grandchild', command: 'sleep 60 & echo started' },
    { name: 'stubborn', command: 'trap "" TERM; echo armed; while :; do sleep 1; done', timeout: 1 },
    { name: 'reads-stdin', command: 'cat; echo end of input' },
    { name: 'long-line', command: 'head -c 200000 /dev/zero | tr "\\\\0" x; echo' },
    { name: 'megabyte', command: 'head -c 1048576 /dev/zero | tr "\\\\0" x' },
    { name: 'more', command: 'head -c 1048577 /dev/zero | tr "\\\\0" x' },
  ]);
});
afterAll(() => world[Symbol.asyncDispose]());

interface Event {
  readonly type: string;
  readonly data?: string;
  readonly exit_code?: number;
  readonly error?: string;
  readonly code?: string;
  readonly execution_id?: string;
}

async function events(name: string): Promise<Event[]> {
  const text = withoutComments(await (await fetch(`${world.url}/${name}`)).text());
  const blocks = text.split('\n\n');
  expect(blocks.pop()).toBe('');
  return blocks.map((block) => {
    expect(block).toMatch(/^data: [^\n]*$/);
    return JSON.parse(block.slice('data: '.length)) as Event;
  });
}

async function lines(name: string): Promise<(string | undefined)[]> {
  const all = await events(name);
  expect(all.at(-1)?.type).toBe('done');
  return all.slice(0, -1).map(({ data }) => data);
}

async function buffered(name: string) {
  const response = await fetch(`${world.url}/${name}`, { headers: { accept: 'application/json' } });
  return (await response.json()) as { output: string; exit_code: number; truncated?: boolean };
}

describe('in a stream', () => {
  const table: [name: string, lines: string[]][] = [
    ['progress', ['10%\r50%\r100%', 'done']],
    ['nul', ['a\0b', '\0']],
    ['binary', ['\ufffd\ufffd \ufffd( \ufffd', '\ufffd']],
    ['split', ['é', '😀']],
    ['escapes', ['\u001b[31m"red"\u001b[0m \\ \t\b']],
    ['no-newline', ['a', '', 'b']],
    ['separators', ['a\u2028b\u0085c\vd\fe']],
    ['bom', ['\ufeffa']],
    ['reads-stdin', ['end of input']],
  ];
  test.each(table)('the lines of %s are %j', async (name, expected) => {
    expect(await lines(name)).toEqual(expected);
  });

  test('output in the format of our events is data in ours', async () => {
    expect(await lines('imitates')).toEqual([
      'data: {"type":"done","exit_code":0,"duration_ms":1}',
      '',
      ': ',
      '',
      'id: 7',
      'event: x',
      'data: {"type":"output","data":"x"}',
      '',
    ]);
  });

  test('a command that closes its output early is still waited for', async () => {
    expect(await events('closes-stdout')).toEqual([
      { type: 'output', data: 'said' },
      { type: 'done', exit_code: 4, duration_ms: expect.any(Number) } as Event,
    ]);
  });

  test('a line over 64 KiB arrives in pieces that make up the whole', async () => {
    const pieces = await lines('long-line');
    expect(pieces.map((piece) => piece?.length)).toEqual([65536, 65536, 65536, 200000 - 3 * 65536]);
    expect(pieces.join('')).toBe('x'.repeat(200000));
  });

  test('a grandchild that holds the pipe is not waited for', async () => {
    expect(await lines('grandchild')).toEqual(['started']);
  });

  test('a command that ignores SIGTERM is killed after its time-out and the grace', async () => {
    expect(await events('stubborn')).toEqual([
      { type: 'output', data: 'armed' },
      {
        type: 'error',
        error: 'command timed out after 1 seconds',
        code: 'timeout',
        execution_id: expect.any(String),
      },
    ]);
  });
});

describe('in a buffered answer', () => {
  const table: [name: string, output: string][] = [
    ['progress', '10%\r50%\r100%\ndone\r\n'],
    ['nul', 'a\0b\n\0'],
    ['binary', '\ufffd\ufffd \ufffd( \ufffd\n\ufffd'],
    ['split', 'é\n😀'],
    ['no-newline', 'a\n\nb'],
    ['bom', '\ufeffa\n'],
  ];
  test.each(table)('the output of %s is %j', async (name, output) => {
    expect(await buffered(name)).toMatchObject({ output, exit_code: 0 });
  });

  test('a mebibyte fits, and the rest is cut and reported', async () => {
    expect(await buffered('megabyte')).toMatchObject({ output: 'x'.repeat(1048576), exit_code: 0 });
    expect(await buffered('more')).toMatchObject({
      output: 'x'.repeat(1048576),
      exit_code: 0,
      truncated: true,
    });
  });
});
