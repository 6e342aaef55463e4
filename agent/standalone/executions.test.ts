import { expect, test } from 'bun:test';
import { Refusal } from '@svc/core/refusal';
import type { Ending, Launch, Runner } from '../runner/runner.ts';
import { ServedExecutions } from './executions.ts';

const LAUNCH = {} as Launch;
const SINK = { write: () => {} };
const ENDED: Ending = { kind: 'exited', exitCode: 0, durationMs: 1 };

/** A runner whose commands end when a test ends them. */
function stage() {
  const endings: PromiseWithResolvers<Ending>[] = [];
  let cancelled = 0;
  const runner: Runner = {
    start() {
      const ending = Promise.withResolvers<Ending>();
      endings.push(ending);
      return { ended: ending.promise, cancel: () => (cancelled += 1) };
    },
    async [Symbol.asyncDispose]() {},
  };
  return { executions: new ServedExecutions(runner), endings, cancelled: () => cancelled };
}

test('an endpoint runs as many at a time as it allows, and others do not count', async () => {
  const { executions, endings } = stage();
  const start = (slug: string) => executions.start({ slug, maxConcurrent: 1 }, LAUNCH, SINK);
  const first = start('a');
  start('b');
  expect(() => start('a')).toThrow(Refusal);
  endings[0]?.resolve(ENDED);
  await first.ended;
  start('a');
  expect(executions.count).toBe(2);
});

test('an execution that ends with an error no longer counts', async () => {
  const { executions, endings } = stage();
  const running = executions.start({ slug: 'a', maxConcurrent: 1 }, LAUNCH, SINK);
  endings[0]?.reject(new Error('the sink broke'));
  expect(running.ended).rejects.toThrow('the sink broke');
  await executions.idle();
  expect(executions.count).toBe(0);
});

test('is idle when the last one has ended, and again after more', async () => {
  const { executions, endings } = stage();
  await executions.idle();
  for (const slug of ['a', 'b']) {
    executions.start({ slug }, LAUNCH, SINK);
    let isIdle = false;
    const idle = executions.idle().then(() => {
      isIdle = true;
    });
    await Promise.resolve();
    expect(isIdle).toBe(false);
    endings.at(-1)?.resolve(ENDED);
    await idle;
  }
});

test('nothing starts after close, and each running execution is cancelled once', () => {
  const { executions, cancelled } = stage();
  executions.start({ slug: 'a' }, LAUNCH, SINK);
  executions.start({ slug: 'b' }, LAUNCH, SINK);
  executions.close();
  expect(() => executions.start({ slug: 'a' }, LAUNCH, SINK)).toThrow(Refusal);
  executions.cancelAll();
  expect(cancelled()).toBe(2);
});
