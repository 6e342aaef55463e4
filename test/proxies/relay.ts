import { connect, createServer, type Server, type Socket } from 'node:net';

/** Stands where a proxy expects a hub, so that a test can see and break what is between the two. */
export class Relay implements AsyncDisposable {
  readonly #hubPort: number;
  readonly #pairs = new Set<readonly [near: Socket, far: Socket]>();
  #server: Server | undefined;
  #port = 0;
  /** The bytes to the hub over each connection, as far as they are text. */
  readonly #sent: string[] = [];

  static async to(hubPort: number): Promise<Relay> {
    const relay = new Relay(hubPort);
    await relay.open();
    return relay;
  }

  private constructor(hubPort: number) {
    this.#hubPort = hubPort;
  }

  /** As a proxy is configured with it. */
  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** How often such a text was sent to the hub: the path of a request. */
  sent(text: string): number {
    return this.#sent.reduce((total, sent) => total + sent.split(text).length - 1, 0);
  }

  /** How many connections such a text was sent over: what the proxy itself asks, now and then, comes over others. */
  connectionsFor(text: string): number {
    return this.#sent.filter((sent) => sent.includes(text)).length;
  }

  /** On the same port as before. */
  async open(): Promise<void> {
    const server = createServer((near) => this.#join(near));
    this.#server = server;
    await new Promise<void>((listens) => server.listen(this.#port, '127.0.0.1', listens));
    this.#port = (server.address() as { port: number }).port;
  }

  /** As if the process behind it were killed: what is open breaks, and nothing more is accepted. */
  async die(): Promise<void> {
    const closed = new Promise<void>((done) => {
      if (this.#server === undefined) done();
      else this.#server.close(() => done());
    });
    this.#server = undefined;
    for (const [near, far] of this.#pairs) {
      near.resetAndDestroy();
      far.destroy();
    }
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.die();
  }

  #join(near: Socket): void {
    const number = this.#sent.push('') - 1;
    const far = connect(this.#hubPort, '127.0.0.1');
    const pair = [near, far] as const;
    this.#pairs.add(pair);
    near.on('data', (bytes) => {
      this.#sent[number] += bytes.toString('latin1');
    });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes) => to.write(bytes));
      from.on('error', () => {});
      from.on('close', () => {
        this.#pairs.delete(pair);
        to.destroy();
      });
    }
  }
}
