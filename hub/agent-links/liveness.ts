import { CLOSE_CODES } from '@svc/core/protocol/close-code';
import { LINK_LIMITS } from '@svc/core/protocol/limits';

/** The watched connection, a WebSocket of Bun's server. */
export interface Watched {
  ping(): unknown;
  close(code: number, reason: string): void;
  terminate(): void;
}

/**
 * Closes connections that received nothing for two ping intervals (decision 30).
 *
 * NOTE: Bun's idle timeout is not enough: each sent frame resets it, and a hub with calls for an agent continues
 * to send into a half-open connection. It counts intervals, and does not use the hub's clock.
 */
export class Liveness<Socket extends Watched> {
  /** The number of intervals since the last received frame. */
  readonly #silentBeats = new Map<Socket, number>();
  #timer: NodeJS.Timeout | undefined;

  /** Records received data, or the new connection. */
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

  /** Agents ping at the same interval by themselves, so the hub pings only one that has missed an interval. */
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
