import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Launch, Runner } from '../runner.ts';
import { sweepExecution } from './end/sweep.ts';
import { CollectingSink } from './fixtures/collecting-sink.ts';
import { shell } from './fixtures/launch.ts';
import { quickRunner } from './fixtures/runner.ts';
import { inputOf, ScriptedInput } from './fixtures/scripted-input.ts';

let runner: Runner;
beforeAll(() => {
  runner = quickRunner();
});
afterAll(() => runner[Symbol.asyncDispose]());

const END = { kind: 'end' } as const;
const CUT = { kind: 'cut', code: 'payload_too_large', message: 'too much' } as const;

async function run(text: string, input: ScriptedInput, different: Partial<Launch> = {}) {
  const sink = new CollectingSink();
  const ending = await runner.start(shell(text, { stdin: true, ...different }), sink, input).ended;
  await input.closed.promise;
  return { ending, text: sink.text };
}

test('a command reads its input to the end, byte for byte', async () => {
  const sha256 = createHash('sha256');
  let left = 400;
  const input = new ScriptedInput(() => {
    if (left === 0) return END;
    left -= 1;
    const bytes = crypto.getRandomValues(new Uint8Array(50_001));
    sha256.update(bytes);
    return { kind: 'bytes', bytes };
  });
  const { ending, text } = await run('sha256sum; cat', input);
  expect(ending).toMatchObject({ kind: 'exited', exitCode: 0 });
  expect(text).toBe(`${sha256.digest('hex')}  -\n`);
});

test('an input without bytes is an end at once, and programs may open it by name', async () => {
  expect((await run('cat /dev/stdin | wc -c', inputOf(END))).text.trim()).toBe('0');
  expect((await run('cat /dev/stdin', inputOf('by name', END))).text).toBe('by name');
});

test('no more is asked for than the pipe of a command holds, until the command reads', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-stdin-'));
  const bytes = new Uint8Array(256 * 1024);
  let left = 100;
  const input = new ScriptedInput(() => {
    if (left === 0) return END;
    left -= 1;
    return { kind: 'bytes', bytes };
  });
  await using single = quickRunner({ workers: 1 });
  const sink = new CollectingSink();
  const command = `echo ready; until test -e ${folder}/go; do sleep 0.02; done; wc -c`;
  const { ended } = single.start(shell(command, { stdin: true }), sink, input);
  await sink.seen('ready');
  // The same thread runs these from start to end, so it has long had its turns to ask for more.
  for (let other = 0; other < 5; other += 1)
    await single.start(shell('cat', { stdin: true }), new CollectingSink(), inputOf('x', END)).ended;
  expect(input.asked).toBeLessThan(6);
  await Bun.write(`${folder}/go`, '');
  expect(await ended).toMatchObject({ kind: 'exited', exitCode: 0 });
  expect(sink.text).toBe(`ready\n${100 * bytes.length}\n`);
});

describe('a command that does not read its whole input', () => {
  const endless = () => new ScriptedInput(() => ({ kind: 'bytes', bytes: new Uint8Array(100_000) }));

  test('ends with its own exit code', async () => {
    expect((await run('head -c 10 >/dev/null; exit 3', endless())).ending).toMatchObject({ exitCode: 3 });
    expect((await run('exit 4', endless())).ending).toMatchObject({ exitCode: 4 });
  });

  test('may close it and go on', async () => {
    const { ending, text } = await run('exec <&-; echo on', inputOf('a'.repeat(200_000), END));
    expect([ending, text]).toMatchObject([{ exitCode: 0 }, 'on\n']);
  });

  test('may be one that cannot be started', async () => {
    const missing = { argv: ['/no/such/program'] as [string] };
    expect((await run('', endless(), missing)).ending.kind).toBe('not_started');
  });
});

test('a command is ended when its input is cut off, and never reads an end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-stdin-'));
  const sink = new CollectingSink();
  const half = { kind: 'bytes', bytes: new TextEncoder().encode('half\n') } as const;
  let isSent = false;
  const input = new ScriptedInput(() => {
    if (isSent) return sink.seen('half').then(() => CUT);
    isSent = true;
    return half;
  });
  const command = `trap '' TERM; cat && echo acted > ${folder}/acted`;
  const ending = await runner.start(shell(command, { stdin: true }), sink, input).ended;
  const { code, message } = CUT;
  expect(ending).toMatchObject({ kind: 'cancelled', cut: { code, message } });
  expect(sink.text).toBe('half\n');
  expect(existsSync(`${folder}/acted`)).toBe(false);
});

test.each(['sleep 1000', "trap '' TERM; sleep 1000", 'head -c 10 >/dev/null; sleep 1000'])(
  'a cut input ends a command that does not read it: %s',
  async (command) => {
    const sink = new CollectingSink();
    const input = new ScriptedInput(() => ({ kind: 'bytes', bytes: new Uint8Array(2_000_000) }));
    const { ended } = runner.start(shell(`echo begun; ${command}`, { stdin: true }), sink, input);
    await sink.seen('begun');
    const { code, message } = CUT;
    input.cut({ code, message });
    expect(await ended).toMatchObject({ kind: 'cancelled', cut: { code, message } });
  },
);

test('a cut after the end changes nothing', async () => {
  const sink = new CollectingSink();
  const input = inputOf('all', END);
  const { ended } = runner.start(shell('cat; echo read; sleep 0.2', { stdin: true }), sink, input);
  await sink.seen('read');
  input.cut(CUT);
  expect(await ended).toMatchObject({ kind: 'exited', exitCode: 0 });
});

test('a cancel is no cut', async () => {
  const sink = new CollectingSink();
  const command = runner.start(shell('cat', { stdin: true }), sink, inputOf('x'));
  await sink.seen('x');
  command.cancel();
  expect(await command.ended).toEqual({ kind: 'cancelled', durationMs: expect.any(Number) });
});

test('leaves no process and no descriptor behind', async () => {
  const executionId = crypto.randomUUID();
  await run('cat', inputOf('x', END), { executionId });
  await run('exit 1', inputOf('x'), { executionId });
  await run('cat', inputOf('x', CUT), { executionId });
  const found = Bun.spawnSync(['sh', '-c', `grep -lzs SVC_EXECUTION_ID=${executionId} /proc/[0-9]*/environ`]);
  const alive = found.stdout.toString().split('\n').filter(isAlive);
  expect(alive).toEqual([]);
});

function isAlive(environ: string): boolean {
  try {
    return environ !== '' && readFileSync(environ.replace('environ', 'cmdline'), 'utf8') !== '';
  } catch {
    return false;
  }
}

test('a command whose agent is killed in the middle never reads an end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-stdin-'));
  const executionId = crypto.randomUUID();
  // The command says when it has the first half, and would act on an end.
  const command = `head -n 1 > ${folder}/half; echo read; cat; echo acted > ${folder}/acted`;
  const agent = Bun.spawn(
    [process.execPath, join(import.meta.dir, 'fixtures/die-with-input.ts'), command, executionId],
    { stdout: 'pipe', stderr: 'inherit' },
  );
  const reader = agent.stdout.getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('read\n');
  agent.kill('SIGKILL');
  await agent.exited;
  const waits = () =>
    Bun.spawnSync(['pgrep', '-f', `${folder}/acted`])
      .stdout.toString()
      .trim();
  expect(waits()).not.toBe('');
  // What the next agent does. A killed process may stay visible for a moment.
  await sweepExecution(executionId);
  while (waits() !== '');
  expect(existsSync(`${folder}/acted`)).toBe(false);
});
