import { LINK_LIMITS } from '@svc/core/protocol/limits';
import type { Admitted } from '../agents/admit-agent.ts';
import { CorkedWire } from './corked-wire.ts';
import { Liveness } from './liveness.ts';
import type { AgentSocket } from './socket.ts';

/** The data of a WebSocket of Bun. */
export interface SocketData {
  readonly socket: AgentSocket;
}

/** Bun's idle timeout: it closes a connection without traffic in both directions for this long (decision 30). */
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
      liveness.heard(ws);
      ws.data.socket.open(new CorkedWire(ws));
    },
    message(ws, data) {
      liveness.heard(ws);
      ws.data.socket.message(data);
    },
    ping: (ws) => liveness.heard(ws),
    pong: (ws) => liveness.heard(ws),
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
