import type {
  LinkSocket,
  LinkSocketEvents,
  OpenLinkSocket,
  SocketClosing,
} from '@svc/core/protocol/link-socket';
import type { Admitted } from '../agents/admit-agent.ts';
import type { AgentSocket } from './socket.ts';

/** What a connection within this process needs from the hub. An upgrade to a WebSocket needs the same. */
interface LocalLinkPorts {
  /** Undefined: the token is not valid. */
  admit(token: string): Promise<Admitted | undefined>;
  socketOf(admitted: Admitted): Pick<AgentSocket, 'open' | 'message' | 'closed'>;
  /** Returns the id of the report. */
  readonly reportBug: (error: unknown) => string;
}

/** RFC 6455, 7.4.1: the connection ended without a close frame. */
const ABNORMAL = 1006;
const UNAUTHORIZED = 401;

/**
 * The connection of the agent of `svc up`, which is in the process of its hub (decision 104, the local link).
 *
 * It replaces only the WebSocket. Frames are the same text and bytes, are read by the same checks, and come with the same
 * token: the hub trusts this agent as much as any other.
 */
export function localLinks(ports: LocalLinkPorts): OpenLinkSocket {
  return (token, events) => new LocalLink(token, events, ports);
}

class LocalLink implements LinkSocket {
  readonly #events: LinkSocketEvents;
  readonly #reportBug: LocalLinkPorts['reportBug'];
  readonly #toAgent = new Delivery(
    (frame) => {
      if (!this.#isOver) this.#events.received(frame);
    },
    (error) => this.#fail(error),
  );
  readonly #toHub = new Delivery(
    (frame) => this.#socket?.message(frame),
    (error) => this.#fail(error),
  );
  #socket: ReturnType<LocalLinkPorts['socketOf']> | undefined;
  /** The agent has closed its end, or knows that the hub has closed. */
  #isOver = false;
  #isClosedByHub = false;

  constructor(token: string, events: LinkSocketEvents, ports: LocalLinkPorts) {
    this.#events = events;
    this.#reportBug = ports.reportBug;
    this.#open(token, ports).catch((error: unknown) => this.#fail(error));
  }

  get bufferedBytes(): number {
    return this.#toHub.bytes;
  }

  send(frame: string | Uint8Array<ArrayBuffer>): void {
    if (!this.#isOver && this.#socket !== undefined) this.#toHub.push(frame);
  }

  close(code: number, reason: string): void {
    this.#end({ code, reason });
  }

  async #open(token: string, { admit, socketOf }: LocalLinkPorts): Promise<void> {
    const admitted = await admit(token).catch((error: unknown) => failure(error));
    if (this.#isOver) return;
    if (admitted === undefined) return this.#end(refusedWith(UNAUTHORIZED));
    if ('code' in admitted) return this.#end(admitted);
    this.#socket = socketOf(admitted);
    this.#socket.open({
      send: (frame) => {
        if (this.#isOver || this.#isClosedByHub) return false;
        this.#toAgent.push(frame);
        return true;
      },
      close: (code, reason) => {
        if (this.#isClosedByHub) return;
        this.#isClosedByHub = true;
        // Frames that were sent earlier arrive first.
        setImmediate(() => this.#end({ code, reason }));
      },
    });
    this.#events.opened();
  }

  /** The hub gets the end after all frames that the agent sent before it. */
  #end(closing: SocketClosing): void {
    if (this.#isOver) return;
    this.#isOver = true;
    setImmediate(() => this.#guarded(() => this.#socket?.closed()));
    this.#guarded(() => this.#events.closed(closing));
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** A bug on either side ends this connection and not the process, which is that of both. The agent connects again. */
  #fail(error: unknown): void {
    const id = this.#reportBug(error);
    this.#end({ code: ABNORMAL, reason: `internal error ${id}` });
  }
}

function refusedWith(status: number): SocketClosing {
  return { code: ABNORMAL, reason: `it answered with status ${status}`, status };
}

/** The store is unavailable, or the hub is stopping: the agent tries again. */
function failure(error: unknown): SocketClosing {
  return { code: ABNORMAL, reason: error instanceof Error ? error.message : String(error) };
}

/**
 * Delivers the frames of one turn of the event loop in the next turn, as a socket does. So neither side calls the other in the
 * middle of its work.
 */
class Delivery {
  readonly #deliver: (frame: string | Uint8Array) => void;
  readonly #failed: (error: unknown) => void;
  #frames: (string | Uint8Array)[] = [];
  #bytes = 0;

  constructor(deliver: (frame: string | Uint8Array) => void, failed: (error: unknown) => void) {
    this.#deliver = deliver;
    this.#failed = failed;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(frame: string | Uint8Array): void {
    this.#bytes += frame.length;
    // The sender reuses the memory of its bytes, so they are copied.
    const sent = typeof frame === 'string' ? frame : frame.slice();
    if (this.#frames.push(sent) === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const frames = this.#frames;
    this.#frames = [];
    this.#bytes = 0;
    try {
      for (const frame of frames) this.#deliver(frame);
    } catch (error) {
      // Later frames depend on the one that failed. The sender keeps what is not acknowledged.
      this.#frames = [];
      this.#bytes = 0;
      this.#failed(error);
    }
  }
}
