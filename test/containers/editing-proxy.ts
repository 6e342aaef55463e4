import { createConnection, createServer, type Socket } from 'node:net';

/** Stands before an engine and passes everything on; but what containers are created with it changes. */
export interface EditingProxy extends AsyncDisposable {
  readonly socket: string;
}

/** `edit` is laid over the `HostConfig` of every container; `User` over the container. */
export async function editingProxy(
  socket: string,
  engine: string,
  { User, ...hostConfig }: Readonly<Record<string, unknown>>,
): Promise<EditingProxy> {
  const edit = (json: string) => {
    const body = JSON.parse(json);
    return JSON.stringify({
      ...body,
      ...(User === undefined ? {} : { User }),
      HostConfig: { ...body.HostConfig, ...hostConfig },
    });
  };
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client.once('close', () => clients.delete(client)));
    passOn(client, createConnection({ path: engine }), edit);
  });
  await new Promise<void>((listening) => server.listen(socket, listening));
  return {
    socket,
    [Symbol.asyncDispose]: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const client of clients) client.destroy();
      return closed;
    },
  };
}

/** One request for each connection is what the engine's client sends. */
function passOn(client: Socket, engine: Socket, edit: (json: string) => string): void {
  let request = '';
  const take = (chunk: Buffer) => {
    request += chunk.toString('latin1');
    if (!request.startsWith('POST ') || !/^\S+ \S+\/containers\/create\?/.test(request))
      return begin(request);
    const at = request.indexOf('\r\n\r\n');
    const [, length = '0'] = /^content-length: (\d+)/im.exec(request) ?? [];
    if (at < 0 || request.length < at + 4 + Number(length)) return;
    const body = edit(Buffer.from(request.slice(at + 4), 'latin1').toString());
    const head = request
      .slice(0, at)
      .replace(/^content-length: \d+/im, `Content-Length: ${Buffer.byteLength(body)}`);
    begin(`${head}\r\n\r\n${Buffer.from(body).toString('latin1')}`);
  };
  const begin = (first: string) => {
    client.off('data', take);
    engine.write(Buffer.from(first, 'latin1'));
    client.pipe(engine);
  };
  client.on('data', take);
  engine.pipe(client);
  for (const [one, other] of [
    [client, engine],
    [engine, client],
  ] as const) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
}
