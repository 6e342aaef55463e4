import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Transform } from '@svc/core/execution/transform/transform';
import { LIMITS } from '@svc/core/plan/limits';
import { Transformer } from './run-transform.ts';

setDefaultTimeout(60_000);

/** A limit that no valid transform reaches, however busy the machine is. */
const PATIENT = { timeoutMs: 50_000 };

const ENDLESS = 'def f: f; f';

const utf8 = (text: string) => new TextEncoder().encode(text);
const jq = (select: string): Transform => ({ parse: 'json', select, onError: 'fail' });

/** The workers of a process, by default this one, without zombies. */
async function workersOf(parent = process.pid): Promise<number[]> {
  const ps = Bun.spawn(['ps', '--ppid', String(parent), '-o', 'pid=,stat=,args='], { stdout: 'pipe' });
  const lines = (await new Response(ps.stdout).text()).split('\n');
  const workers = lines.filter((line) => line.includes('transform-worker') && !/^\s*\d+\s+Z/.test(line));
  return workers.map((line) => Number.parseInt(line, 10));
}

async function onlyWorker(): Promise<number> {
  const [worker, ...others] = await workersOf();
  if (worker === undefined || others.length > 0) throw new Error('exactly one worker expected');
  return worker;
}

/** Resolves when a process that is not our child has ended. */
async function hasEnded(pid: number): Promise<void> {
  await Bun.spawn(['tail', `--pid=${pid}`, '-s', '0.02', '-f', '/dev/null']).exited;
}

test('200 at once: each gets its own result, from no more workers than allowed', async () => {
  await using transformer = new Transformer({ ...PATIENT, workers: 2 });
  const numbers = Array.from({ length: 200 }, (_, n) => n);
  const running = numbers.map((n) => transformer.run(jq('.n'), utf8(`{"n":${n}}`)));
  await running[0];
  expect((await workersOf()).length).toBeLessThanOrEqual(2);
  expect(await Promise.all(running)).toEqual(numbers.map((n) => ({ kind: 'data', json: String(n) })));
});

describe('an endless transform', () => {
  test.each<[string, Transform, string]>([
    ['a jq program that calls itself', jq(ENDLESS), '1'],
    ['a jq program that waits for the last of endless values', jq('last(repeat(1))'), '1'],
    [
      'a regular expression that backtracks',
      { parse: 'regex', pattern: '(?<x>a+)b', onError: 'fail' },
      'a'.repeat(3_000_000),
    ],
  ])('%s is killed at its time limit', async (_, transform, text) => {
    await using transformer = new Transformer({ timeoutMs: 200 });
    const reason = 'it took longer than 0.2 seconds';
    expect(await transformer.run(transform, utf8(text))).toEqual({ kind: 'failed', reason });
    expect(await workersOf()).toEqual([]);
  });
});

describe('the worker process', () => {
  test('is kept for the next transform', async () => {
    await using transformer = new Transformer({ ...PATIENT, idleMs: 60_000 });
    await transformer.run(jq('.'), utf8('1'));
    const worker = await onlyWorker();
    await transformer.run(jq('.'), utf8('2'));
    expect(await onlyWorker()).toBe(worker);
  });

  test('ends when it has been idle for a while', async () => {
    await using transformer = new Transformer({ ...PATIENT, idleMs: 1 });
    await transformer.run(jq('.'), utf8('1'));
    while ((await workersOf()).length > 0);
    expect(await transformer.run(jq('.'), utf8('2'))).toEqual({ kind: 'data', json: '2' });
  });

  test('does not end for idleness while it works again', async () => {
    await using transformer = new Transformer({ ...PATIENT, workers: 1, idleMs: 50 });
    await transformer.run(jq('.'), utf8('1'));
    const longerThanTheRest = jq('[range(1000000)] | length');
    expect(await transformer.run(longerThanTheRest, utf8('1'))).toEqual({ kind: 'data', json: '1000000' });
  });

  test('is not started for output that is too long', async () => {
    await using transformer = new Transformer(PATIENT);
    const bytes = new Uint8Array(LIMITS.transformInputBytes + 1);
    const reason = 'the output is longer than 10 MiB';
    expect(await transformer.run(jq('.'), bytes)).toEqual({ kind: 'failed', reason });
    expect(await workersOf()).toEqual([]);
  });

  test('that is killed at work fails only its transform', async () => {
    await using transformer = new Transformer({ ...PATIENT, workers: 1 });
    const killed = transformer.run(jq(ENDLESS), utf8('1'));
    const waiting = transformer.run(jq('.'), utf8('2'));
    process.kill(await onlyWorker(), 'SIGKILL');
    const reason = 'its process ended (SIGKILL); it may have run out of memory';
    expect(await killed).toEqual({ kind: 'failed', reason });
    expect(await waiting).toEqual({ kind: 'data', json: '2' });
  });

  test('that is killed while idle fails none', async () => {
    await using transformer = new Transformer({ ...PATIENT, idleMs: 60_000 });
    await transformer.run(jq('.'), utf8('1'));
    const worker = await onlyWorker();
    process.kill(worker, 'SIGKILL');
    await hasEnded(worker);
    expect(await transformer.run(jq('.'), utf8('2'))).toEqual({ kind: 'data', json: '2' });
  });

  test("has nothing of the agent's environment", async () => {
    await using transformer = new Transformer({ ...PATIENT, idleMs: 60_000 });
    await transformer.run(jq('.'), utf8('1'));
    const environment = readFileSync(`/proc/${await onlyWorker()}/environ`, 'utf8').split('\0');
    const names = environment.map((entry) => entry.split('=')[0] ?? '').filter((name) => name !== '');
    const ofTheChannel = /^NODE_CHANNEL_/;
    expect(names.filter((name) => !ofTheChannel.test(name)).toSorted()).toEqual([
      'BUN_ENABLE_CRASH_REPORTING',
      'PWD',
    ]);
  });

  test('has limits of the system', async () => {
    await using transformer = new Transformer({ ...PATIENT, idleMs: 60_000 });
    await transformer.run(jq('.'), utf8('1'));
    const limits = readFileSync(`/proc/${await onlyWorker()}/limits`, 'utf8');
    expect(limits).toMatch(/^Max cpu time +120 +120 /m);
    expect(limits).toMatch(/^Max data size +3221225472 +3221225472 /m);
    expect(limits).toMatch(/^Max core file size +0 +0 /m);
  });

  test('does not end with a Ctrl-C or a stop of the whole group', async () => {
    await using transformer = new Transformer({ ...PATIENT, idleMs: 60_000 });
    await transformer.run(jq('.'), utf8('1'));
    const worker = await onlyWorker();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(worker, signal);
    await transformer.run(jq('.'), utf8('2'));
    expect(await onlyWorker()).toBe(worker);
  });
});

test('disposal fails running and waiting transforms, and no worker remains', async () => {
  const transformer = new Transformer({ ...PATIENT, workers: 1 });
  const running = transformer.run(jq(ENDLESS), utf8('1'));
  const waiting = transformer.run(jq('.'), utf8('1'));
  await onlyWorker();
  await transformer[Symbol.asyncDispose]();
  expect(await workersOf()).toEqual([]);
  expect((await running).kind).toBe('failed');
  const stopped = { kind: 'failed', reason: 'the agent stops' } as const;
  expect(await waiting).toEqual(stopped);
  expect(await transformer.run(jq('.'), utf8('1'))).toEqual(stopped);
});

describe('an idle worker', () => {
  test('does not keep its agent alive, and ends with it', async () => {
    const { agent, worker } = await agentWithWorker();
    agent.kill('SIGUSR1');
    expect(await agent.exited).toBe(0);
    await hasEnded(worker);
  });

  test('ends with an agent that is killed', async () => {
    const { agent, worker } = await agentWithWorker();
    agent.kill('SIGKILL');
    await agent.exited;
    await hasEnded(worker);
  });

  async function agentWithWorker() {
    const program = new URL('./fixtures/leave-without-dispose.ts', import.meta.url).pathname;
    const agent = Bun.spawn([process.execPath, program], { stdout: 'pipe' });
    await agent.stdout.getReader().read();
    const [worker] = await workersOf(agent.pid);
    if (worker === undefined) throw new Error('a worker expected');
    return { agent, worker };
  }
});

describe('in a compiled binary', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-transform-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('the program itself is the worker, with jq inside', async () => {
    const program = join(folder, 'program');
    const source = new URL('./fixtures/transform-from-binary.ts', import.meta.url).pathname;
    const flags = ['--compile', '--bytecode', '--format=esm', '--minify', '--keep-names'];
    const build = Bun.spawn([process.execPath, 'build', ...flags, `--outfile=${program}`, source], {
      env: process.env,
      stdout: 'ignore',
    });
    expect(await build.exited).toBe(0);
    const run = Bun.spawn([program], { cwd: folder, env: {}, stdout: 'pipe' });
    expect(await new Response(run.stdout).json()).toEqual({ kind: 'data', json: '6' });
  }, 120_000);
});
