import { createServer } from 'node:net';

/** A port on which nobody listens now, for a program that has to be told one. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((listens) => probe.listen(0, '127.0.0.1', listens));
  const { port } = probe.address() as { port: number };
  await new Promise((closed) => probe.close(closed));
  return port;
}
