import { expect, test } from 'bun:test';
import { firstLine } from './first-line.ts';

const streamOf = (...chunks: string[]) => new Blob(chunks).stream();

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test('the first line that is it, however the text is cut, and not the ones before', async () => {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of ['starting\nre', 'ady 1\nready 2\n'])
        controller.enqueue(new TextEncoder().encode(part));
      controller.close();
    },
  });
  expect(await firstLine(stream, (line) => line.startsWith('ready'))).toBe('ready 1');
});

test('a program that ends before is an error with its output', async () => {
  const failure = await failureOf(firstLine(streamOf('no such\n', 'file'), (line) => line === 'ready'));
  expect(String(failure)).toContain('ended before it was ready: no such\nfile');
});

test('a program that says nothing at all is one too', async () => {
  expect(String(await failureOf(firstLine(streamOf())))).toContain('ended before it was ready');
});
