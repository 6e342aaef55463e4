import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

export interface UnreliableProxy extends AsyncDisposable {
  readonly url: string;
  /** Loses the first answers again. Returns the paths whose answers were lost until now. */
  startOver(): readonly string[];
}

/**
 * A proxy in front of a hub that loses answers, as networks do. It drops the answer to the first POST of each path after the hub
 * gave it, and ends each stream in the middle of its second event.
 */
export async function unreliableProxy(hubUrl: string): Promise<UnreliableProxy> {
  const lost = new Set<string>();
  const server = createServer((incoming, outgoing) => {
    const { url = '', method = '' } = incoming;
    const isLost = method === 'POST' && !lost.has(url);
    if (isLost) lost.add(url);
    forward(hubUrl, incoming, outgoing, isLost);
  });
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens));
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    startOver() {
      const paths = [...lost];
      lost.clear();
      return paths;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function forward(hubUrl: string, incoming: IncomingMessage, outgoing: ServerResponse, isLost: boolean): void {
  const { method, headers, url = '' } = incoming;
  const onward = request(
    `${hubUrl}${url}`,
    { method, headers: { ...headers, host: new URL(hubUrl).host, 'accept-encoding': 'identity' } },
    (answer) => {
      if (isLost) {
        outgoing.socket?.destroy();
        answer.destroy();
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      if (answer.headers['content-type']?.startsWith('text/event-stream')) cutAfterEvent(answer, outgoing);
      else answer.pipe(outgoing);
    },
  );
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
}

function cutAfterEvent(answer: IncomingMessage, outgoing: ServerResponse): void {
  let text = '';
  answer.on('data', (chunk: Buffer) => {
    if (outgoing.writableEnded) return;
    text += chunk.toString('latin1');
    const end = text.indexOf('\n\n', text.indexOf('data:'));
    if (!text.includes('data:') || end < 0) return;
    // It also sends half of the next event.
    outgoing.end(Buffer.from(`${text.slice(0, end + 2)}id: 9`, 'latin1'));
    answer.destroy();
  });
  answer.on('end', () => outgoing.end());
}
