import { expect, test } from 'bun:test';
import { LastLines } from './last-lines.ts';

/** Last lines whose reads and pauses the test ends one by one. */
function scripted() {
  const reads: { readonly id: string; readonly answer: PromiseWithResolvers<string | undefined> }[] = [];
  const pauses: { readonly hasFailed: boolean; readonly end: () => void }[] = [];
  let shown = Promise.resolve();
  let looks = 0;
  const changed: (() => void)[] = [];
  const notify = () => {
    for (const resolve of changed.splice(0)) resolve();
  };
  const lines = new LastLines({
    read(id) {
      const answer = Promise.withResolvers<string | undefined>();
      reads.push({ id, answer });
      notify();
      return answer.promise;
    },
    pause(hasFailed, signal) {
      const { promise, resolve } = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => resolve());
      if (signal.aborted) resolve();
      pauses.push({ hasFailed, end: resolve });
      notify();
      return promise;
    },
    untilVisible() {
      looks += 1;
      notify();
      return shown;
    },
  });
  return {
    lines,
    reads,
    pauses,
    looks: () => looks,
    hide() {
      const { promise, resolve } = Promise.withResolvers<void>();
      shown = promise;
      return resolve;
    },
    async until(isReached: () => boolean) {
      while (!isReached()) await new Promise<void>((resolve) => changed.push(resolve));
    },
  };
}

test('one line is read after the other, and again after a pause', async () => {
  const { lines, reads, pauses, until } = scripted();
  const seen: (string | undefined)[] = [];
  lines.follow('a', (line) => seen.push(line));
  const leave = lines.follow('b', (line) => seen.push(line));
  await until(() => reads.length === 1);
  reads[0]?.answer.resolve('one');
  await until(() => pauses.length === 1);
  // The second came during the first round.
  await until(() => reads.length === 2);
  reads[1]?.answer.resolve('one');
  await until(() => reads.length === 3);
  reads[2]?.answer.resolve(undefined);
  await until(() => pauses.length === 2);
  expect(reads.map(({ id }) => id)).toEqual(['a', 'a', 'b']);
  expect(seen).toEqual(['one', 'one', undefined]);
  leave();
  pauses[1]?.end();
  await until(() => reads.length === 4);
  reads[3]?.answer.reject(new Error('the hub is away'));
  await until(() => pauses.length === 3);
  expect(pauses.map(({ hasFailed }) => hasFailed)).toEqual([false, false, true]);
  expect(seen).toHaveLength(3);
});

test('a hidden tab reads nothing, and goes on when it is shown', async () => {
  const { lines, reads, pauses, looks, hide, until } = scripted();
  const seen: (string | undefined)[] = [];
  lines.follow('a', (line) => seen.push(line));
  await until(() => reads.length === 1);
  const show = hide();
  reads[0]?.answer.resolve('one');
  await until(() => pauses.length === 1);
  pauses[0]?.end();
  // It has looked for the second read, and waits.
  await until(() => looks() === 2);
  expect(reads).toHaveLength(1);
  show();
  await until(() => reads.length === 2);
  reads[1]?.answer.resolve('two');
  await until(() => pauses.length === 2);
  expect(seen).toEqual(['one', 'two']);
});
