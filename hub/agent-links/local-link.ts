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
  readonly #toAgent = new Delivery((frame) => {
    if (!this.#isOver) this.#events.received(frame);
  });
  readonly #toHub = new Delivery((frame) => this.#socket?.message(frame));
  #socket: ReturnType<LocalLinkPorts['socketOf']> | undefined;
  /** The agent has closed its end, or knows that the hub has closed. */
  #isOver = false;
  #isClosedByHub = false;

  constructor(token: string, events: LinkSocketEvents, ports: LocalLinkPorts) {
    this.#events = events;
    void this.#open(token, ports);
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
    setImmediate(() => this.#socket?.closed());
    this.#events.closed(closing);
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
  #frames: (string | Uint8Array)[] = [];
  #bytes = 0;

  constructor(deliver: (frame: string | Uint8Array) => void) {
    this.#deliver = deliver;
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
    for (const frame of frames) this.#deliver(frame);
  }
}
