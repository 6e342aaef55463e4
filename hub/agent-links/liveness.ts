import { CLOSE_CODES } from '@svc/core/protocol/close-code';
import { LINK_LIMITS } from '@svc/core/protocol/limits';

/** What is watched: a WebSocket of Bun's server. */
export interface Watched {
  ping(): unknown;
  close(code: number, reason: string): void;
  terminate(): void;
}

/**
 * Closes connections on which nothing has come for as long as two pings take (decision 30).
 *
 * NOTE: Bun's idle time-out alone does not do that: whatever is sent puts it off, and a hub that has calls for an agent goes on
 * sending into a link that is half open. Nor is the clock of the hub asked: this is about the network.
 */
export class Liveness<Socket extends Watched> {
  /** How many beats have passed since something came. */
  readonly #silentBeats = new Map<Socket, number>();
  #timer: NodeJS.Timeout | undefined;

  /** Something came, if only the connection itself. */
  heard(socket: Socket): void {
    this.#silentBeats.set(socket, 0);
    this.#timer ??= setInterval(() => this.#beat(), LINK_LIMITS.pingMs);
  }

  closed(socket: Socket): void {
    this.#silentBeats.delete(socket);
    if (this.#silentBeats.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** An agent pings as often, by itself: only one that has missed a beat is asked. */
  #beat(): void {
    for (const [socket, beats] of [...this.#silentBeats]) {
      if (beats >= LINK_LIMITS.missedPings) {
        socket.close(CLOSE_CODES.silent, 'nothing has come for too long');
        socket.terminate();
        continue;
      }
      this.#silentBeats.set(socket, beats + 1);
      if (beats > 0) socket.ping();
    }
  }
}
