import { connect, createServer, type Server, type Socket } from 'node:net';

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
}

/** Stands before the hubs as in service: each connection goes to the next of them that takes it. */
export class Balancer implements AsyncDisposable {
  readonly #server: Server;
  readonly #ports: readonly number[];
  readonly #pairs = new Set<Pair>();
  #turn = 0;

  static async before(ports: readonly number[]): Promise<Balancer> {
    const balancer = new Balancer(ports);
    await new Promise<void>((ready) => balancer.#server.listen(0, '127.0.0.1', ready));
    return balancer;
  }

  private constructor(ports: readonly number[]) {
    this.#ports = ports;
    this.#server = createServer({ pauseOnConnect: true }, (near) => {
      this.#turn += 1;
      this.#pass(near, this.#turn, ports.length);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  /** Ends each connection for which this is so, on both sides. */
  cut(isMeant: () => boolean): void {
    for (const pair of this.#pairs) if (isMeant()) end(pair);
  }

  /** Such a connection passes nothing on, and neither side sees the other close. */
  swallow(isMeant: () => boolean): void {
    for (const { near, far } of this.#pairs) {
      if (!isMeant()) continue;
      for (const socket of [near, far]) socket.unpipe().removeAllListeners('close').resume();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut(() => true);
    await new Promise((closed) => this.#server.close(closed));
  }

  #pass(near: Socket, turn: number, tries: number): void {
    const port = this.#ports[turn % this.#ports.length];
    if (tries === 0 || port === undefined) {
      near.destroy();
      return;
    }
    const far = connect(port, '127.0.0.1');
    const refused = () => this.#pass(near, turn + 1, tries - 1);
    far.once('error', refused);
    far.once('connect', () => {
      far.off('error', refused);
      this.#join({ near, far });
    });
  }

  #join(pair: Pair): void {
    this.#pairs.add(pair);
    for (const [from, to] of [
      [pair.near, pair.far],
      [pair.far, pair.near],
    ] as const) {
      from.on('error', () => undefined);
      from.on('close', () => {
        this.#pairs.delete(pair);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}

function end({ near, far }: Pair): void {
  near.destroy();
  far.destroy();
}
