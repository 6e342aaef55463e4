import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, gzipSync } from 'node:zlib';
import type { Route } from '@svc/core/api/contract/route';
import { readQuery } from '@svc/core/api/query';
import { requestTarget } from '@svc/core/api/request-target';

/** The sink of a direct stream of Bun. A promise from `write` means that the socket is full. */
export interface StreamSink {
  write(bytes: Uint8Array | string): number | Promise<number>;
  flush(): unknown;
  end(): unknown;
}

/** Text shrinks about ten times, at four times the speed of the highest level. */
const LEVEL = 4;

/** The content codings that a client accepts: a subset of RFC 9110, 12.5.3; a named coding is accepted unless its weight is 0. */
export function acceptedCodings({ headers }: Request): ReadonlySet<string> {
  const named = (headers.get('accept-encoding') ?? '')
    .split(',')
    .map((part) => part.trim().split(/\s*;\s*q\s*=\s*/))
    .filter(([, weight]) => weight === undefined || Number(weight) > 0)
    .map(([coding = '']) => coding.toLowerCase());
  return new Set([...named, 'identity']);
}

/** The text of a response, compressed as fast as its reader takes it. The source ends when the reader leaves. */
export async function* gzipped(text: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip({ level: LEVEL });
  const fed = pipeline(Readable.from(text), gzip);
  // The loop below throws the same error; a reader that leaves is none.
  fed.catch(() => undefined);
  yield* gzip;
}

/** Whether the row of the request allows compression. The query was read without a problem. */
export function mayCompress({ compression }: Route, { url }: Request): boolean {
  if (compression === undefined) return false;
  return !readQuery(requestTarget(url).query).some(([name]) => name === compression.notWith);
}

/** A shorter body fits into few packets. */
const MIN_BYTES = 4_096;

/** The response with its body compressed if the client accepts it and the body is not short. The body is read as a whole. */
export async function gzippedResponse(request: Request, response: Response): Promise<Response> {
  const { status, headers } = response;
  headers.append('Vary', 'Accept-Encoding');
  if (!acceptedCodings(request).has('gzip')) return response;
  const body = await response.bytes();
  if (body.length < MIN_BYTES) return new Response(body, { status, headers });
  headers.set('Content-Encoding', 'gzip');
  return new Response(gzipSync(body, { level: LEVEL }), { status, headers });
}

/** Compresses what is written into `sink`. For streams whose reader need not see each write at once: nothing is flushed between. */
export function gzipSink(sink: StreamSink, signal: AbortSignal): StreamSink {
  const gzip = createGzip({ level: LEVEL });
  // Without a reader a write would wait for ever.
  signal.addEventListener('abort', () => gzip.destroy(), { once: true });
  gzip.on('data', (bytes: Uint8Array) => {
    const written = sink.write(bytes);
    void sink.flush();
    if (!(written instanceof Promise)) return;
    gzip.pause();
    const resume = () => gzip.resume();
    void written.then(resume, resume);
  });
  return {
    write: (bytes) => new Promise((resolve) => gzip.write(bytes, () => resolve(bytes.length))),
    flush: () => undefined,
    end: async () => {
      const { promise: closed, resolve: close } = Promise.withResolvers<void>();
      gzip.once('close', close);
      if (gzip.closed) close();
      gzip.end();
      await closed;
      await sink.end();
    },
  };
}
