import { afterEach, expect, jest, test } from 'bun:test';
import { LIMITS } from '@svc/core/plan/limits';
import { EventWriter } from './event-writer.ts';

const LONG_MS = 60_000;
const bytes = (text: string) => new TextEncoder().encode(text);

const servers: Bun.Server<undefined>[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop(true)));
});

/** A real server that answers with this writer; `closed` resolves when the caller has left. */
function serve(writer: EventWriter) {
  const opened = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const finished = Promise.withResolvers<void>();
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      request.signal.addEventListener('abort', () => {
        writer.leave();
        closed.resolve();
      });
      const source: Bun.DirectUnderlyingSource = {
        type: 'direct',
        pull(controller) {
          writer.open(controller);
          opened.resolve();
          return finished.promise;
        },
      };
      return new Response(new ReadableStream(source as unknown as UnderlyingSource));
    },
  });
  servers.push(server);
  return { url: server.url.href, opened: opened.promise, closed: closed.promise, finish: finished.resolve };
}

async function* readText({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of body as ReadableStream<Uint8Array>) yield decoder.decode(chunk, { stream: true });
}

test('output written before Bun requests the body arrives first', async () => {
  const writer = new EventWriter(LONG_MS);
  const early = writer.write(bytes('early '));
  const { url, opened, finish } = serve(writer);
  const text = fetch(url).then((response) => response.text());
  await opened;
  await early;
  await writer.write(bytes('late '));
  await writer.end('last');
  finish();
  expect(await text).toBe('early late last');
});

test('silence is broken by repeated comments, and no comment cuts output', async () => {
  const writer = new EventWriter(2);
  const { url, finish } = serve(writer);
  const chunks = readText(await fetch(url));
  let text = '';
  const readUntil = async (part: string) => {
    while (!text.includes(part)) text += (await chunks.next()).value;
  };
  await readUntil(': \n\n: \n\n: \n\n');
  await writer.write(bytes('data: 1\n\n'));
  await readUntil('data: 1\n\n: \n\n');
  await writer.end('data: 2\n\n');
  finish();
  for await (const chunk of chunks) text += chunk;
  expect(text).toMatch(/^(?:: \n\n)+data: 1\n\n(?:: \n\n)+data: 2\n\n$/);
});

test('after its end nothing is written, even if a comment had to send the head', async () => {
  jest.useFakeTimers();
  try {
    const written: unknown[] = [];
    const writer = new EventWriter(LONG_MS);
    writer.open({
      start: () => undefined,
      close: () => undefined,
      flush: () => 0,
      end: () => 0,
      write: (chunk) => written.push(chunk),
    });
    jest.advanceTimersByTime(LIMITS.sseHeadMs);
    await writer.end('last');
    jest.advanceTimersByTime(10 * LONG_MS);
    expect(written).toEqual([': \n\n', 'last']);
  } finally {
    jest.useRealTimers();
  }
});

test('a caller that does not read blocks the writer, and one that leaves releases it', async () => {
  const writer = new EventWriter(LONG_MS);
  const { url, opened, closed } = serve(writer);
  const { hostname, port } = new URL(url);
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: { data: (it) => void it.pause() },
  });
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await opened;

  const chunk = new Uint8Array(64 * 1024);
  let written = 0;
  let blocked: Promise<void> | undefined;
  while (blocked === undefined) {
    blocked = writer.write(chunk) ?? undefined;
    written += chunk.length;
    // The sockets of both ends buffer a few megabytes; a writer that never blocks would write forever.
    if (written > 512 * 1024 * 1024) throw new Error('nothing held the writer back');
  }

  socket.terminate();
  await Promise.all([closed, blocked]);
  expect(writer.write(chunk)).toBeUndefined();
  await writer.end('last');
});

test('a caller that leaves before Bun requests the body releases the waiting writer', async () => {
  const writer = new EventWriter(LONG_MS);
  const early = writer.write(bytes('nobody reads this'));
  writer.leave();
  await early;
  expect(writer.write(bytes('nor this'))).toBeUndefined();
});
