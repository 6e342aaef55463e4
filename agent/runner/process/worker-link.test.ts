import { expect, test } from 'bun:test';
import { readEnded, type WorkerMessage } from './protocol.ts';
import { WorkerLink } from './worker-link.ts';

const ending = { kind: 'exited', exitCode: 0, durationMs: 1 } as const;

/** The messages as the other end reads them, with their number of bytes. */
function messages(say: (link: WorkerLink) => void): (readonly [kind: string, bytes: number | undefined])[] {
  const messages: WorkerMessage[] = [];
  const link = new WorkerLink(1, { postMessage: (message) => messages.push(message) });
  say(link);
  link.ended(ending);
  return messages.map((message) => {
    if (typeof message === 'string') return ['ended', readEnded(message).last?.bytes.length];
    return [message.kind, message.kind === 'output' ? message.bytes.length : undefined];
  });
}

test('short last output is one message with the end', () => {
  expect(messages((link) => link.sendLast(new Uint8Array(8 * 1024)))).toEqual([['ended', 8 * 1024]]);
});

test('long last output is transferred before the end', () => {
  const bytes = 8 * 1024 + 1;
  expect(messages((link) => link.sendLast(new Uint8Array(bytes)))).toEqual([
    ['output', bytes],
    ['ended', undefined],
  ]);
});

test('several last pieces of any lengths arrive in order', () => {
  const lengths = [3, 100_000, 5, 7];
  const all = messages((link) => {
    for (const length of lengths) link.sendLast(new Uint8Array(length));
  });
  expect(all).toEqual([
    ['output', 3],
    ['output', 100_000],
    ['output', 5],
    ['ended', 7],
  ]);
});
