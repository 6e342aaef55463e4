import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Runner } from '../runner.ts';
import { CollectingSink } from './fixtures/collecting-sink.ts';
import { launchOf, PATH, shell } from './fixtures/launch.ts';
import { quickRunner, runToEnd } from './fixtures/runner.ts';

let runner: Runner;
beforeAll(() => {
  runner = quickRunner();
});
afterAll(() => runner[Symbol.asyncDispose]());

const run = (...args: Parameters<typeof shell>) => runToEnd(runner, shell(...args));

describe('the environment of a command', () => {
  test('its variables are exactly the given ones', async () => {
    const inherited = { A: '0', C: 'c' };
    const env = { A: '1', 'B-2': 'two\nlines', EMPTY: '', Ü: 'ß🦀' };
    // The inherited variables are sent to the thread with the first command only.
    for (const launch of [1, 2].map(() => launchOf(['/usr/bin/env', '-0'], { inherited, env }))) {
      const { text } = await runToEnd(runner, launch);
      expect(text.split('\0').sort()).toEqual(['', 'A=1', 'B-2=two\nlines', 'C=c', 'EMPTY=', 'Ü=ß🦀']);
    }
  });

  test('its arguments are exactly the given ones, its name included', async () => {
    const values = [
      '',
      ' ',
      '-n',
      '--',
      '$(id)',
      '`id`',
      "'",
      '"',
      '\\',
      '*',
      'a\nb',
      '日本',
      '%s',
      '\u{1f980}',
    ];
    const { text } = await runToEnd(runner, launchOf(['printf', '%s\\0', ...values]));
    expect(text.split('\0').slice(0, -1)).toEqual(values);
    const named = await runToEnd(runner, launchOf(['sh', '-c', 'tr "\\0" " " < /proc/$$/cmdline']));
    expect(named.text).toStartWith('sh -c ');
  });

  test('its stdin is empty and its descriptors are the three', async () => {
    const { text } = await run('cat; readlink /proc/self/fd/0; ls /proc/self/fd | tr "\\n" " "');
    // `ls` reads the folder with the fourth.
    expect(text).toBe('/dev/null\n0 1 2 3 ');
  });

  test('it leads a session and a process group', async () => {
    const { text } = await run('cut -d" " -f1,5,6 /proc/$$/stat');
    const [pid, group, session] = text.trim().split(' ');
    expect([group, session]).toEqual([pid, pid]);
  });

  test('no signal is blocked or ignored', async () => {
    const { text } = await runToEnd(runner, launchOf(['grep', '-E', 'SigBlk|SigIgn', '/proc/self/status']));
    expect(text.match(/[0-9a-f]{16}/g)).toEqual(['0000000000000000', '0000000000000000']);
  });

  test('it runs in the given folder', async () => {
    expect((await run('pwd', { cwd: '/usr/bin' })).text).toBe('/usr/bin\n');
  });
});

describe('output', () => {
  test('stdout and stderr arrive merged in the order written', async () => {
    const lines = 300;
    const { text } = await run(`i=0; while [ $i -lt ${lines} ]; do echo o$i; echo e$i >&2; i=$((i+1)); done`);
    expect(text).toBe(Array.from({ length: lines }, (_, i) => `o${i}\ne${i}\n`).join(''));
  });

  test('a program may open its stdout and stderr by name', async () => {
    expect((await run('echo out > /dev/stdout; echo err > /dev/stderr')).text).toBe('out\nerr\n');
  });

  test('output as events is finished lines of the event stream', async () => {
    const { text } = await run('echo one; printf "tw\\"o" >&2', { output: 'events' });
    expect(text).toBe('data: {"type":"output","data":"one"}\n\ndata: {"type":"output","data":"tw\\"o"}\n\n');
  });

  test('output arrives while the command runs', async () => {
    const sink = new CollectingSink();
    const command = runner.start(shell('echo first; exec sleep 60', { output: 'events' }), sink);
    await sink.seen('first');
    command.cancel();
    expect(await command.ended).toMatchObject({ kind: 'cancelled' });
  });

  test('two hundred commands at once keep their output apart', async () => {
    const all = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const { text } = await run('echo "$V"; echo "$V" >&2', { env: { PATH, V: `value-${i}` } });
        return text;
      }),
    );
    expect(all).toEqual(Array.from({ length: 200 }, (_, i) => `value-${i}\nvalue-${i}\n`));
  });

  test('a sink that throws gets nothing more; the command continues and the error is reported at the end', async () => {
    let writes = 0;
    const broken = {
      write() {
        writes += 1;
        throw new Error('the reader is gone');
      },
    };
    // The command would block forever if its pipe were not read.
    const { ended } = runner.start(shell('yes | head -c 3000000'), broken);
    expect(await ended.catch((error: Error) => error.message)).toBe('the reader is gone');
    expect(writes).toBe(1);
  });
});

describe('how it ends', () => {
  test.each([
    ['exit 0', 0],
    ['exit 7', 7],
    ['exit 255', 255],
    ['kill -TERM $$', 143],
    ['kill -KILL $$', 137],
    ['kill -SEGV $$', 139],
    ['kill -35 $$', 163],
  ])('%s: exit code %d', async (text, exitCode) => {
    expect((await run(text)).ending).toMatchObject({ kind: 'exited', exitCode });
  });

  test('the duration is that of the command', async () => {
    const { ending } = await run('sleep 0.3');
    if (ending.kind !== 'exited') throw new Error(`it ${ending.kind}`);
    expect(ending.durationMs).toBeGreaterThanOrEqual(300);
  });

  test('the runner waits for a command that closes its output early', async () => {
    const { text, ending } = await run('echo early; exec >&- 2>&-; sleep 0.2; exit 3');
    expect({ text, ending }).toMatchObject({ text: 'early\n', ending: { kind: 'exited', exitCode: 3 } });
  });

  test('a command that cannot be started is an ending, not an error', async () => {
    const { ending } = await runToEnd(runner, launchOf(['no-such-program']));
    expect(ending).toEqual({
      kind: 'not_started',
      reason: 'not_found',
      message: 'command not found: "no-such-program"',
    });
  });

  test('cancelling after the end does nothing', async () => {
    const command = runner.start(shell('true'), new CollectingSink());
    const ending = await command.ended;
    command.cancel();
    expect(await command.ended).toBe(ending);
  });
});
