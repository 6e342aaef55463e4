import { createServer } from 'node:net';

/**
 * Below the ports that the kernel gives to connections, and to programs that ask for any port: a port that is free now stays
 * free for a moment.
 */
const PORTS = { first: 12_000, count: 20_000 } as const;

/** Each process begins somewhere else, so that two of them rarely ask for the same port. */
let asked = process.pid * 97;

/** A port that is free now, for a program that needs one. */
export async function freePort(): Promise<number> {
  for (;;) {
    asked += 1;
    const port = PORTS.first + (asked % PORTS.count);
    const probe = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false));
      probe.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((closed) => probe.close(closed));
    return port;
  }
}
