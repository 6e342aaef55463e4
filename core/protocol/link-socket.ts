/** Why a socket closed. */
export interface SocketClosing {
  /** The code of the close frame; 1006 if there was none. */
  readonly code: number;
  readonly reason: string;
  /** The HTTP status, when the connection was refused. */
  readonly status?: number;
}

/** The events of an agent's socket to a hub. */
export interface LinkSocketEvents {
  opened(): void;
  received(message: string | Uint8Array): void;
  /** Called once, as the last event. */
  closed(closing: SocketClosing): void;
}

/** The agent's end of a connection that carries frames: a WebSocket, or a hub in the same process. */
export interface LinkSocket {
  /** The bytes that were sent and are still buffered. */
  readonly bufferedBytes: number;
  send(message: string | Uint8Array<ArrayBuffer>): void;
  /** Closes the socket from this side. `closed` is called before this returns, whether the other side answers or not. */
  close(code: number, reason: string): void;
}

/** Connects to a hub in the same process with an agent token. Events arrive after this has returned. */
export type OpenLinkSocket = (token: string, events: LinkSocketEvents) => LinkSocket;
