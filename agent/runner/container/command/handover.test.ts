// Tests the handover of a command to its container: no command is lost, and none runs twice.
import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CollectingSink } from '../../process/fixtures/collecting-sink.ts';
import { launchOf } from '../../process/fixtures/launch.ts';
import { ContainerRunner } from '../container-runner.ts';
import { EngineError } from '../engine.ts';
import { LocalEngine } from '../fixtures/local-engine.ts';
import { NO_VOLUMES } from '../fixtures/no-volumes.ts';
import { shimCommand } from '../shim/shim-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-handover-'));
const opened: ContainerRunner[] = [];
afterEach(async () => {
  for (const runner of opened.splice(0)) await runner[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

function runnerOf(engine: LocalEngine, volumes = NO_VOLUMES): ContainerRunner {
  const runner = new ContainerRunner({
    engine,
    volumes,
    outputs: NO_VOLUMES,
    transforms: { run: () => Promise.reject(new Error('not in this test')) },
    capacity: 1,
    maxWaiting: 0,
    onTrouble: (cause) => console.error(cause),
    graces: { killGraceMs: 100, drainAfterExitMs: 100 },
  });
  opened.push(runner);
  return runner;
}

function begin(runner: ContainerRunner, argv: readonly [string, ...string[]], runId?: string) {
  const sink = new CollectingSink();
  const container = { vcpus: 1, memoryBytes: 1, network: false, runId };
  return { sink, ...pick(runner.start(launchOf(argv, { container, cwd: '/' }), sink)) };
}

const pick = (command: ReturnType<ContainerRunner['start']>) => ({
  ended: command.ended,
  cancel: () => command.cancel(),
});

const READY = "printf 'R\\000\\000\\000\\000'";
const ACCEPTED = "printf 'A\\000\\000\\000\\000'";
const SHIM = `exec ${shimCommand()
  .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
  .join(' ')}`;

/** The first container runs this as process 1; all later ones run the shim. */
function firstDoes(text: string): LocalEngine {
  const mark = join(folder, 'mark');
  return new LocalEngine({
    command: [
      '/bin/bash',
      '-c',
      `if mkdir -p ${folder} && ! [ -e ${mark} ]; then touch ${mark}; ${text}; else ${SHIM}; fi`,
    ],
  });
}

test.each([
  ['before it was told of it', `${READY}; exit 1`],
  ['when it had read a part of it', `${READY}; head -c 3 > /dev/null; exit 1`],
])('a command whose container ended %s runs in another one, once', async (_when, text) => {
  const engine = firstDoes(text);
  const ran = join(folder, 'ran');
  const { ended, sink } = begin(runnerOf(engine), ['/bin/sh', '-c', `echo once >> ${ran}; echo said`]);
  expect(await ended).toMatchObject({ kind: 'exited', exitCode: 0 });
  expect(sink.text).toBe('said\n');
  expect(readFileSync(ran, 'utf8')).toBe('once\n');
  expect(engine.made.map(({ isRemoved }) => isRemoved)).toEqual([true, true]);
});

test('a command whose container ended after `begin` is lost, and runs nowhere else', async () => {
  const engine = firstDoes(`${READY}; read -r _line; ${ACCEPTED}; read -r -N 1 _begin; exit 1`);
  // The shell reads the first line of the job. The rest begins with the next word.
  const { ended } = begin(runnerOf(engine), ['true', '\n']);
  expect(await ended).toMatchObject({ kind: 'lost' });
  expect(engine.made).toHaveLength(1);
});

test('a command whose containers all end before it begins is not started', async () => {
  const engine = new LocalEngine({ command: ['/bin/sh', '-c', `${READY}; exit 1`] });
  const { ended } = begin(runnerOf(engine), ['true']);
  expect(await ended).toMatchObject({
    kind: 'not_started',
    message: expect.stringContaining('3 containers'),
  });
  expect(engine.made).toHaveLength(3);
});

test('a command that is cancelled while it waits for its container ends at once and leaves no container', async () => {
  // The container never reports that it is ready.
  const engine = new LocalEngine({ command: ['sleep', '600'] });
  const runner = runnerOf(engine);
  const { ended, cancel } = begin(runner, ['true']);
  await engine.makes(1);
  cancel();
  expect(await ended).toEqual({ kind: 'cancelled', durationMs: 0 });
  await engine.made[0]?.remove();
});

test('a command that is cancelled while it waits for a volume ends at once, and releases the volume later', async () => {
  const engine = new LocalEngine();
  const { promise: mounted, resolve: mount } = Promise.withResolvers<{
    folder: string;
    release: () => void;
  }>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const runner = runnerOf(engine, { ...NO_VOLUMES, use: () => mounted });
  const { ended, cancel, sink } = begin(runner, ['echo', 'ran'], 'run');
  cancel();
  expect(await ended).toEqual({ kind: 'cancelled', durationMs: 0 });
  mount({ folder: '/', release });
  await released;
  expect(sink.text).toBe('');
  expect(engine.made.every(({ isRemoved }) => isRemoved)).toBe(true);
});

test('a command that is cancelled between the handover and its begin never begins', async () => {
  const engine = new LocalEngine({
    command: ['/bin/sh', '-c', `${READY}; head -c 1 > /dev/null; ${ACCEPTED}; exec sleep 600`],
  });
  const { promise: over, resolve: letGo } = Promise.withResolvers<void>();
  const said: string[] = [];
  const { create } = LocalEngine.prototype;
  engine.create = async (request) => {
    const container = await create.call(engine, request);
    const send = container.send.bind(container);
    const remove = container.remove.bind(container);
    container.send = (bytes) => {
      said.push(String.fromCharCode(bytes[0] ?? 0));
      send(bytes);
      cancel();
    };
    // Its answer is still read.
    container.remove = () => over.then(remove);
    return container;
  };
  const { ended, cancel } = begin(runnerOf(engine), ['true']);
  expect((await ended).kind).toBe('cancelled');
  letGo();
  expect(said).toEqual(['J']);
});

test('a broken engine is reported to the command', async () => {
  const engine = new LocalEngine();
  engine.broken = new EngineError('the disk is full');
  const { ended } = begin(runnerOf(engine), ['true']);
  expect(await ended).toMatchObject({
    kind: 'not_started',
    message: expect.stringContaining('the disk is full'),
  });
});
