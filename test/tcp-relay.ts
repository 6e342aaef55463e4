import { connect, createServer, type Socket } from 'node:net';

/** Stands between a program and its server, and can stop passing anything on without closing either side: dropped packets. */
export class TcpRelay implements AsyncDisposable {
  readonly #server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  static async to(address: string): Promise<TcpRelay> {
    const relay = new TcpRelay(address);
    await new Promise<void>((listens) => relay.#server.listen(0, '127.0.0.1', listens));
    return relay;
  }

  private constructor(address: string) {
    const [host, port] = address.split(':');
    this.#server = createServer((near) => {
      const far = connect(Number(port), host);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from);
        from.on('error', () => undefined);
        from.on('data', (bytes) => {
          if (!this.#isCut) to.write(bytes);
        });
        from.on('close', () => {
          this.#sockets.delete(from);
          if (!this.#isCut) to.destroy();
        });
      }
    });
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  /** From now on everything is swallowed; connections that come are taken, and lead nowhere. */
  cut(): void {
    this.#isCut = true;
  }

  /** Cut connections stay dead; later ones are passed on. */
  mend(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#isCut = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((closed) => this.#server.close(closed));
  }
}
