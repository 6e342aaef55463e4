import { expect, test } from 'bun:test';
import { ReadPacer } from './read-pacer.ts';

/** A hub whose calls and time are moved by hand. */
function hub() {
  let nowMs = 0;
  let writes = 0;
  const timers: { readonly atMs: number; readonly run: () => void }[] = [];
  const pacer = new ReadPacer({
    writes: () => writes,
    nowMs: () => nowMs,
    after: (ms, run) => void timers.push({ atMs: nowMs + ms, run }),
  });
  const settled = async () => {
    for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
  };
  return {
    pacer,
    /** Moves the time, with this many writes in each millisecond. */
    async pass(ms: number, writesPerMs: number) {
      for (const untilMs = nowMs + ms; nowMs < untilMs; ) {
        nowMs += 1;
        writes += writesPerMs;
        for (const timer of timers.filter(({ atMs }) => atMs <= nowMs)) {
          timers.splice(timers.indexOf(timer), 1);
          timer.run();
        }
        await settled();
      }
    },
  };
}

test('without calls no read waits', async () => {
  const { pacer, pass } = hub();
  await pass(1_000, 0);
  const order: number[] = [];
  for (let read = 0; read < 50; read += 1)
    await pacer.run('w', async () => {
      await pass(30, 0);
      order.push(read);
    });
  expect(order).toHaveLength(50);
});

test('while calls come in, a reader that loops gets a tenth of the time', async () => {
  const { pacer, pass } = hub();
  await pass(100, 5);
  let [reading, elapsed] = [0, 0];
  let isReading = false;
  let end = () => {};
  const ask = () =>
    void pacer.run('w', () => {
      isReading = true;
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    });
  ask();
  for (let readFor = 0; elapsed < 20_000; elapsed += 1) {
    await pass(1, 5);
    if (!isReading) continue;
    reading += 1;
    readFor += 1;
    if (readFor < 20) continue;
    readFor = 0;
    isReading = false;
    end();
    await pass(0, 5);
    ask();
  }
  // The time of the first moment, and a tenth.
  expect(reading).toBeGreaterThan(1_500);
  expect(reading).toBeLessThan(2_200);
});

test('a workspace that asks a hundred times at once keeps no other one waiting for all of them', async () => {
  const { pacer, pass } = hub();
  await pass(100, 5);
  const order: string[] = [];
  const atOnce = { now: 0, most: 0 };
  const read = (workspaceId: string) =>
    pacer.run(workspaceId, async () => {
      order.push(workspaceId);
      atOnce.now += 1;
      atOnce.most = Math.max(atOnce.most, atOnce.now);
      // Longer than a few moments of the test: reads are under way together.
      for (let turns = 0; turns < 30; turns += 1) await Promise.resolve();
      atOnce.now -= 1;
    });
  // Uses up what reads have in the first moment, and more.
  const slow = Promise.withResolvers<void>();
  const first = pacer.run('greedy', () => slow.promise);
  await pass(300, 5);
  slow.resolve();
  await first;
  const all = [...Array.from({ length: 100 }, () => read('greedy')), read('modest'), read('another')];
  expect(order).toEqual([]);
  await pass(10_000, 5);
  await Promise.all(all);
  expect(order.slice(0, 3).sort()).toEqual(['another', 'greedy', 'modest']);
  expect(order).toHaveLength(102);
  expect(atOnce.most).toBe(2);
});

test('a read that takes long, or fails, keeps others waiting for a second at most', async () => {
  const { pacer, pass } = hub();
  await pass(100, 5);
  const slow = Promise.withResolvers<void>();
  const first = pacer.run('w', () => slow.promise).catch((error: Error) => error.message);
  await pass(10_000, 5);
  slow.reject(new Error('the disk is slow'));
  expect(await first).toBe('the disk is slow');
  let isAnswered = false;
  const next = pacer.run('w', () => {
    isAnswered = true;
  });
  await pass(500, 5);
  expect(isAnswered).toBe(false);
  await pass(600, 5);
  await next;
  expect(isAnswered).toBe(true);
});

test('pending work begins when calls stop', async () => {
  const { pacer, pass } = hub();
  await pass(100, 5);
  const slow = Promise.withResolvers<void>();
  const first = pacer.run('w', () => slow.promise);
  await pass(1_000, 5);
  slow.resolve();
  await first;
  let isAnswered = false;
  const next = pacer.run('w', () => {
    isAnswered = true;
  });
  await pass(110, 0);
  await next;
  expect(isAnswered).toBe(true);
});
