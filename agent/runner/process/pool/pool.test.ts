import { describe, expect, test } from 'bun:test';
import { CollectingSink } from '../fixtures/collecting-sink.ts';
import { launchOf, shell } from '../fixtures/launch.ts';
import { runs } from '../fixtures/processes.ts';
import { quickRunner, runToEnd } from '../fixtures/runner.ts';
import type { Order } from '../protocol.ts';

/** The number of commands of each Worker. */
const startsOf = new Map<Worker, number>();

function countStarts(worker: Worker): void {
  const post = worker.postMessage.bind(worker);
  worker.postMessage = (text: string) => {
    const order = JSON.parse(text) as Order;
    if (order.kind === 'start') startsOf.set(worker, (startsOf.get(worker) ?? 0) + 1);
    post(text);
  };
}

/** A runner whose Workers are counted. */
function countingRunner(options: Parameters<typeof quickRunner>[0] = {}, module = '../worker.ts') {
  const started: Worker[] = [];
  const startWorker = () => {
    const worker = new Worker(new URL(module, import.meta.url));
    countStarts(worker);
    started.push(worker);
    return worker;
  };
  return { started, runner: quickRunner({ ...options, startWorker }) };
}

describe('the threads', () => {
  test('one starts at once and is enough for sequential commands', async () => {
    const { runner, started } = countingRunner({ workers: 3 });
    expect(started).toHaveLength(1);
    for (let i = 0; i < 5; i += 1) await runToEnd(runner, shell('true'));
    expect(started).toHaveLength(1);
    await runner[Symbol.asyncDispose]();
  });

  test('another starts when all are busy, up to the limit', async () => {
    const { runner, started } = countingRunner({ workers: 3 });
    const sinks = Array.from({ length: 9 }, () => new CollectingSink());
    const commands = sinks.map((sink) => runner.start(shell('echo ready; sleep 60'), sink));
    await Promise.all(sinks.map((sink) => sink.seen('ready')));
    expect(started).toHaveLength(3);
    expect(started.map((worker) => startsOf.get(worker))).toEqual([3, 3, 3]);
    for (const command of commands) command.cancel();
    await runner[Symbol.asyncDispose]();
  });
});

describe('disposing of a runner', () => {
  test('ends running commands and waits for them', async () => {
    const runner = quickRunner();
    const sinks = [new CollectingSink(), new CollectingSink()];
    const commands = sinks.map((sink) =>
      runner.start(shell('trap "" TERM; echo $$; echo ready; sleep 30; sleep 30'), sink),
    );
    await Promise.all(sinks.map((sink) => sink.seen('ready')));
    await runner[Symbol.asyncDispose]();
    expect(sinks.map(({ text }) => runs(Number.parseInt(text, 10)))).toEqual([false, false]);
    const endings = await Promise.all(commands.map(({ ended }) => ended));
    expect(endings.map(({ kind }) => kind)).toEqual(['cancelled', 'cancelled']);
  });

  test('nothing starts afterwards', async () => {
    const runner = quickRunner();
    await runner[Symbol.asyncDispose]();
    expect(() => runner.start(shell('true'), new CollectingSink())).toThrow('disposed');
  });
});

describe('a thread that dies', () => {
  test('its commands are killed and end as lost; the next command has a new thread', async () => {
    const deaths: Error[] = [];
    const onWorkerDeath = (error: Error) => void deaths.push(error);
    const { runner, started } = countingRunner({ workers: 1, onWorkerDeath }, '../fixtures/mortal-worker.ts');
    const sink = new CollectingSink();
    const running = runner.start(shell('echo $$; echo ready; sleep 60'), sink);
    await sink.seen('ready');
    const fatal = runner.start(launchOf(['bug']), new CollectingSink());
    const endings = await Promise.all([running.ended, fatal.ended]);
    expect(endings.map(({ kind }) => kind)).toEqual(['lost', 'lost']);
    expect(runs(Number.parseInt(sink.text, 10))).toBe(false);
    expect(deaths.map(({ cause }) => String(cause))).toEqual([expect.stringContaining('a bug')]);

    expect(await runToEnd(runner, shell('echo again'))).toMatchObject({ text: 'again\n' });
    expect(started).toHaveLength(2);
    await runner[Symbol.asyncDispose]();
  });

  test('one that cannot start loses its commands and reports it', async () => {
    const deaths: Error[] = [];
    const { runner } = countingRunner(
      { onWorkerDeath: (error) => void deaths.push(error) },
      './no-such-module.ts',
    );
    const { ending } = await runToEnd(runner, shell('true'));
    expect(ending.kind).toBe('lost');
    expect(deaths).toHaveLength(1);
    await runner[Symbol.asyncDispose]();
  });
});
