import { CLOSE_CODES } from '@svc/core/protocol/close-code';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import type { Admitted } from '../agents/admit-agent.ts';
import { CorkedWire } from './connection.ts';
import type { AgentSocket } from './socket.ts';

/** The data of a WebSocket of Bun. */
export interface SocketData {
  readonly socket: AgentSocket;
}

/** Bun's idle timeout: it closes a connection without traffic in both directions for this long (decision 30, liveness). */
const IDLE_SEC = Math.ceil((LINK_LIMITS.pingMs * (LINK_LIMITS.missedPings + 0.5)) / 1000);

/** Bun's WebSocket options for agents. */
export function webSocketHandlers(): Bun.WebSocketHandler<SocketData> {
  const liveness = new Liveness<Bun.ServerWebSocket<SocketData>>();
  return {
    // Compression would take twenty times the memory at 10,000 sockets.
    perMessageDeflate: false,
    maxPayloadLength: LINK_LIMITS.largeTextFrameBytes,
    idleTimeout: IDLE_SEC,
    sendPings: true,
    open(ws) {
      liveness.received(ws);
      ws.data.socket.open(new CorkedWire(ws));
    },
    message(ws, data) {
      liveness.received(ws);
      ws.data.socket.message(data);
    },
    ping: (ws) => liveness.received(ws),
    pong: (ws) => liveness.received(ws),
    close(ws) {
      liveness.closed(ws);
      ws.data.socket.closed();
    },
  };
}

/** Upgrades `GET /agents/connect`; undefined when the connection was upgraded. */
export async function upgradeAgent(
  request: Request,
  server: Bun.Server<SocketData>,
  admit: (token: string | undefined) => Promise<Admitted | undefined>,
  socketOf: (admitted: Admitted) => AgentSocket,
): Promise<'upgraded' | 'unauthorized' | 'no_upgrade'> {
  const token = /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  const admitted = await admit(token);
  if (admitted === undefined) return 'unauthorized';
  return server.upgrade(request, { data: { socket: socketOf(admitted) } }) ? 'upgraded' : 'no_upgrade';
}

/** The watched connection, a WebSocket of Bun's server. */
export interface Watched {
  ping(): unknown;
  close(code: number, reason: string): void;
  terminate(): void;
}

/**
 * Closes connections that received nothing for two ping intervals (decision 30, liveness).
 *
 * NOTE: Bun's idle timeout is not enough: each sent frame resets it, and a hub with calls for an agent continues
 * to send into a half-open connection. It counts intervals, and does not use the hub's clock.
 */
export class Liveness<Socket extends Watched> {
  /** The number of intervals since the last received frame. */
  readonly #missedIntervals = new Map<Socket, number>();
  #timer: NodeJS.Timeout | undefined;

  /** Records received data, or the new connection. */
  received(socket: Socket): void {
    this.#missedIntervals.set(socket, 0);
    this.#timer ??= setInterval(() => this.#checkInterval(), LINK_LIMITS.pingMs);
  }

  closed(socket: Socket): void {
    this.#missedIntervals.delete(socket);
    if (this.#missedIntervals.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Agents ping at the same interval by themselves, so the hub pings only one that has missed an interval. */
  #checkInterval(): void {
    for (const [socket, missed] of [...this.#missedIntervals]) {
      if (missed >= LINK_LIMITS.missedPings) {
        socket.close(CLOSE_CODES.silent, 'nothing has come for too long');
        socket.terminate();
        continue;
      }
      this.#missedIntervals.set(socket, missed + 1);
      if (missed > 0) socket.ping();
    }
  }
}
