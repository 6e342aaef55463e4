/** Sends these bytes to a server and answers all that comes back until it closes the connection. */
export async function exchange(url: string, request: string | Uint8Array): Promise<Uint8Array> {
  const { hostname, port } = new URL(url);
  const chunks: Uint8Array[] = [];
  const { promise: closed, resolve, reject } = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data: (_, chunk) => void chunks.push(Buffer.from(chunk)),
      close: () => resolve(),
      error: (_, error) => reject(error),
    },
  });
  socket.write(request);
  await closed;
  return Buffer.concat(chunks);
}

export interface RawAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array;
}

/** Reads an HTTP/1.1 answer; a chunked body is put together again. */
export function readAnswer(bytes: Uint8Array): RawAnswer {
  const buffer = Buffer.from(bytes);
  const end = buffer.indexOf('\r\n\r\n');
  const [statusLine = '', ...headerLines] = buffer.subarray(0, end).toString('latin1').split('\r\n');
  const headers = new Map(
    headerLines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const body = buffer.subarray(end + 4);
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    body: headers.get('transfer-encoding') === 'chunked' ? joinChunks(body) : body,
  };
}

function joinChunks(body: Buffer): Buffer {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.subarray(at, lineEnd).toString('latin1'), 16);
    if (!(lineEnd > at) || Number.isNaN(size)) throw new Error('the chunked body broke off');
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
