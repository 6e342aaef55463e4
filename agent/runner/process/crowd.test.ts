import { expect, test } from 'bun:test';
import { CollectingSink } from './fixtures/collecting-sink.ts';
import { shell } from './fixtures/launch.ts';
import { quickRunner } from './fixtures/runner.ts';

/** All run on one thread, so that commands share it and short ones are read after their exit. */
async function outputsOf(texts: readonly string[], output: 'events' | 'raw'): Promise<string[]> {
  await using runner = quickRunner({ workers: 1, drainAfterExitMs: 30_000 });
  const sinks = texts.map((text) => {
    const sink = new CollectingSink();
    return { sink, ended: runner.start(shell(text, { output }), sink).ended };
  });
  await Promise.all(sinks.map(({ ended }) => ended));
  return sinks.map(({ sink }) => sink.text);
}

test('many commands at once lose nothing, whether they are short, long or leave a grandchild behind', async () => {
  const texts = Array.from({ length: 40 }, (_, i) => [
    `echo short ${i}; echo err ${i} >&2`,
    `echo slow ${i}; sleep 0.1; printf "end ${i}"`,
    `head -c 200000 /dev/zero | tr "\\0" ${i % 10}`,
    `(sleep 0.05; echo late ${i}) & echo parent ${i}`,
  ]).flat();
  const expected = Array.from({ length: 40 }, (_, i) => [
    `short ${i}\nerr ${i}\n`,
    `slow ${i}\nend ${i}`,
    String(i % 10).repeat(200_000),
    `parent ${i}\nlate ${i}\n`,
  ]).flat();
  expect(await outputsOf(texts, 'raw')).toEqual(expected);
});

test('the last line and the ending are one message, in order', async () => {
  const texts = Array.from({ length: 30 }, (_, i) => `echo a${i}; printf "b${i}"`);
  const events = (i: number) =>
    [`a${i}`, `b${i}`].map((data) => `data: ${JSON.stringify({ type: 'output', data })}\n\n`).join('');
  expect(await outputsOf(texts, 'events')).toEqual(texts.map((_, i) => events(i)));
});
