import { LINK_LIMITS } from '@svc/core/protocol/limits';
import type { Admitted } from '../agents/admit-agent.ts';
import { CorkedWire } from './corked-wire.ts';
import { Liveness } from './liveness.ts';
import type { AgentSocket } from './socket.ts';

/** What hangs on a WebSocket of Bun. */
export interface SocketData {
  readonly socket: AgentSocket;
}

/** A side that says nothing, pongs included, for so long is gone, where nothing is said to it either (decision 30). */
const IDLE_SEC = Math.ceil((LINK_LIMITS.pingMs * (LINK_LIMITS.missedPings + 0.5)) / 1000);

/** How Bun is to treat the connections of agents. */
export function webSocketHandlers(): Bun.WebSocketHandler<SocketData> {
  const liveness = new Liveness<Bun.ServerWebSocket<SocketData>>();
  return {
    // Compression costs twenty times the memory at 10,000 sockets.
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

/** Upgrades `GET /agents/connect`; undefined once the connection is no HTTP any more. */
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
