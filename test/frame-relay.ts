import { type AgentFrame, decodeAgentFrame, decodeHubFrame, type HubFrame } from '@svc/core/protocol/frame';
import { decodeOutputFrame, type OutputFrame } from '@svc/core/protocol/output-frame';

/** A message on its way, as what it is. */
export type Passing =
  | { readonly from: 'agent'; readonly frame: AgentFrame | OutputFrame }
  | { readonly from: 'hub'; readonly frame: HubFrame };

interface Link {
  readonly far: WebSocket;
}

type Near = Bun.ServerWebSocket<Link>;
type Data = string | Uint8Array<ArrayBuffer>;

/**
 * Stands between an agent and its hub and passes frames on one by one, so that a test can stop the world at any of them:
 * what a process has said and what has arrived are then known exactly.
 */
export class FrameRelay implements AsyncDisposable {
  /** How often each message is forwarded: a link that duplicates. */
  copies = 1;
  readonly #hubUrl: string;
  readonly #server: Bun.Server<Link>;
  readonly #links = new Set<Near>();
  readonly #awaited = new Set<{ isIt: (passing: Passing) => boolean; passed: () => void }>();
  #stopping: { isLast: (passing: Passing) => boolean; reached: () => void } | undefined;
  #open = Promise.withResolvers<void>();
  #isStopped = false;

  constructor(hubUrl: string) {
    this.#hubUrl = hubUrl.replace('http', 'ws');
    this.#open.resolve();
    this.#server = Bun.serve<Link>({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch: (request, server) => this.#join(request, server),
      websocket: {
        idleTimeout: 0,
        maxPayloadLength: 8 * 1024 * 1024,
        open: (near) => this.#begin(near),
        message: (near, data) => this.#fromAgent(near, typeof data === 'string' ? data : data.slice()),
        close: (near) => {
          this.#links.delete(near);
          if (!this.#isStopped) end(near.data.far);
        },
      },
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** Settles when such a message has been forwarded. */
  passing(isIt: (passing: Passing) => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#awaited.add({ isIt, passed: resolve });
    return promise;
  }

  /** Neither this message nor any after it gets to the other side; settles when it has come. Connections wait outside. */
  stopAt(isLast: (passing: Passing) => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#stopping = { isLast, reached: resolve };
    return promise;
  }

  /** Ends all connections, and lets no new ones through until `resume`. */
  cut(): void {
    this.#stop();
    for (const near of this.#links) {
      end(near.data.far);
      near.terminate();
    }
  }

  /** Stopped messages are lost; connections go through again. */
  resume(): void {
    this.cut();
    this.#isStopped = false;
    this.#stopping = undefined;
    this.#open.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.resume();
    await this.#server.stop(true);
  }

  async #join(request: Request, server: Bun.Server<Link>): Promise<Response | undefined> {
    await this.#open.promise;
    const headers = { authorization: request.headers.get('authorization') ?? '' };
    const far = new WebSocket(`${this.#hubUrl}/agents/connect`, { headers } as unknown as string[]);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    far.addEventListener('open', () => resolve(true), { once: true });
    far.addEventListener('error', () => resolve(false), { once: true });
    const isThere = (await promise) && server.upgrade(request, { data: { far } });
    return isThere ? undefined : new Response(null, { status: 502 });
  }

  #begin(near: Near): void {
    const { far } = near.data;
    this.#links.add(near);
    far.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const decoded = decodeHubFrame(data);
      this.#pass(decoded.kind === 'frame' ? { from: 'hub', frame: decoded.frame } : undefined, () =>
        near.send(data),
      );
    });
    far.addEventListener('close', ({ code, reason }) => {
      if (this.#isStopped) return;
      if (code === 1006) near.terminate();
      else near.close(code, reason);
    });
  }

  #fromAgent(near: Near, data: Data): void {
    const decoded = typeof data === 'string' ? decodeAgentFrame(data) : decodeOutputFrame(data);
    this.#pass(decoded.kind === 'frame' ? { from: 'agent', frame: decoded.frame } : undefined, () =>
      near.data.far.send(data),
    );
  }

  /** A message that is not a frame is passed on unchanged. */
  #pass(passing: Passing | undefined, send: () => void): void {
    if (passing === undefined ? this.#isStopped : !this.#passes(passing)) return;
    for (let copy = 0; copy < this.copies; copy += 1) send();
    if (passing === undefined) return;
    for (const awaited of this.#awaited) {
      if (!awaited.isIt(passing)) continue;
      this.#awaited.delete(awaited);
      awaited.passed();
    }
  }

  #passes(passing: Passing): boolean {
    if (this.#isStopped) return false;
    if (this.#stopping?.isLast(passing) !== true) return true;
    this.#stop();
    this.#stopping.reached();
    return false;
  }

  #stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#open = Promise.withResolvers<void>();
  }
}

function end(socket: WebSocket): void {
  (socket as unknown as { terminate(): void }).terminate();
}
