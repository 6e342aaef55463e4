import { expect, test } from 'bun:test';
import { webSocketHandlers } from './upgrade.ts';

const MESSAGES = 100;
/** A message in one packet with others, and some messages in several packets. */
const SIZES = [100, 5_000, 90_000, 400_000];

test('Bun allocates memory for each message, so its bytes stay valid after the callback', async () => {
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const messages: Uint8Array[] = [];
  const socket = {
    open: () => undefined,
    closed: () => undefined,
    message(data: Uint8Array) {
      messages.push(data);
      if (messages.length === MESSAGES) resolve();
    },
  };
  using server = Bun.serve({
    port: 0,
    fetch: (request, server) =>
      server.upgrade(request, { data: { socket } as never }) ? undefined : new Response(),
    websocket: webSocketHandlers(),
  });
  const agent = new WebSocket(`ws://127.0.0.1:${server.port}`);
  agent.onopen = () => {
    for (let at = 0; at < MESSAGES; at += 1)
      agent.send(new Uint8Array(SIZES[at % SIZES.length] ?? 0).fill(at % 251));
  };
  await all;
  const mixed = messages.filter((bytes, at) => !bytes.every((byte) => byte === at % 251));
  expect(mixed).toEqual([]);
  expect(new Set(messages.map(({ buffer }) => buffer)).size).toBe(MESSAGES);
  agent.close();
});
