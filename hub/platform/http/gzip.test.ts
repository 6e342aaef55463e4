import { describe, expect, test } from 'bun:test';
import { gunzipSync } from 'node:zlib';
import { ROUTES } from '@svc/core/api/routes';
import { acceptedCodings, gzipped, gzippedResponse, gzipSink, mayCompress } from './gzip.ts';

const LINE = 'event: output\n';

async function* lines(count: number, onEnd: () => void = () => undefined): AsyncGenerator<string> {
  try {
    for (let n = 0; n < count; n += 1) yield await Promise.resolve(`${n} ${LINE}`);
  } finally {
    onEnd();
  }
}

test.each([
  ['gzip, deflate, br', true],
  ['br;q=1, GZIP;q=0.5', true],
  ['gzip;q=0', false],
  ['', false],
])('"%s" accepts gzip: %p', (header, isAccepted) => {
  const request = new Request('http://hub.test/', { headers: { 'accept-encoding': header } });
  expect(acceptedCodings(request).has('gzip')).toBe(isAccepted);
});

describe('compressed text', () => {
  test('is the text again, and shorter', async () => {
    const compressed = Buffer.concat(await Array.fromAsync(gzipped(lines(10_000))));
    const text = gunzipSync(compressed).toString();
    expect(text).toBe((await Array.fromAsync(lines(10_000))).join(''));
    expect(compressed.length * 4).toBeLessThan(text.length);
  });

  test('stops its source when the reader leaves', async () => {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    for await (const bytes of gzipped(lines(Number.POSITIVE_INFINITY, resolve))) if (bytes.length > 0) break;
    await ended;
  });

  test('passes on what a source throws', async () => {
    async function* broken(): AsyncGenerator<string> {
      yield await Promise.resolve('begun');
      throw new Error('the disk is gone');
    }
    expect(Array.fromAsync(gzipped(broken()))).rejects.toThrow('the disk is gone');
  });
});

describe('a compressing sink', () => {
  test('writes all to a slow socket, in order, before it ends', async () => {
    const received: Buffer[] = [];
    let isEnded = false;
    const slow = {
      write: async (bytes: Uint8Array | string) => {
        received.push(Buffer.from(bytes));
        return await new Promise<number>((resolve) => setImmediate(() => resolve(bytes.length)));
      },
      flush: () => undefined,
      end: () => {
        isEnded = true;
      },
    };
    const sink = gzipSink(slow, new AbortController().signal);
    const written = await Array.fromAsync(lines(20_000));
    for (const line of written) await sink.write(line);
    await sink.end();
    expect(isEnded).toBe(true);
    expect(gunzipSync(Buffer.concat(received)).toString()).toBe(written.join(''));
  });

  test('releases its writer when the reader has left', async () => {
    const leave = new AbortController();
    const stuck = {
      write: () => new Promise<number>(() => undefined),
      flush: () => undefined,
      end: () => undefined,
    };
    const sink = gzipSink(stuck, leave.signal);
    const random = () => crypto.getRandomValues(new Uint8Array(60_000));
    const writes = Array.from({ length: 50 }, async () => await sink.write(random()));
    leave.abort();
    await Promise.all(writes);
    await sink.write('late');
    await sink.end();
  });
});

describe('a compressed response', () => {
  const asking = (coding: string) =>
    new Request('http://hub.test/', { headers: { 'accept-encoding': coding } });
  const answer = (text: string) => new Response(text, { status: 203, headers: { 'content-type': 'a/b' } });
  const long = LINE.repeat(1_000);

  test('has the same text, status and type', async () => {
    const response = await gzippedResponse(asking('gzip'), answer(long));
    const { status, headers } = response;
    expect([
      status,
      headers.get('content-type'),
      headers.get('content-encoding'),
      headers.get('vary'),
    ]).toEqual([203, 'a/b', 'gzip', 'Accept-Encoding']);
    const bytes = await response.bytes();
    expect(gunzipSync(bytes).toString()).toBe(long);
    expect(bytes.length).toBeLessThan(1_000);
  });

  test.each([
    ['the client does not accept it', 'br', long],
    ['it is short', 'gzip', LINE],
  ])('is sent as it is where %s', async (_, coding, text) => {
    const response = await gzippedResponse(asking(coding), answer(text));
    expect([response.status, response.headers.get('content-encoding'), await response.text()]).toEqual([
      203,
      null,
      text,
    ]);
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
  });
});

test.each([
  ['listExecutions', '', true],
  ['listExecutions', '?limit=5', true],
  ['listExecutions', '?limit=5&output=a', false],
  ['listExecutions', '?%6futput=a', false],
  ['listEndpoints', '', false],
  ['listSecrets', '', false],
] as const)('%s%s may be compressed: %p', (name, query, may) => {
  expect(mayCompress(ROUTES[name], new Request(`http://hub.test/${query}`))).toBe(may);
});
