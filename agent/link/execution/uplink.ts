import type { AgentFrameOf } from '@svc/core/protocol/frame';
import type { Space } from '../unsent/space.ts';

/** A connection to the hub, as executions use it. */
export interface HubWire {
  send(frame: AgentFrameOf<'ended' | 'input_want'>): void;
  /** False if too much waits for the network. */
  sendOutput(message: Uint8Array<ArrayBuffer>): boolean;
}

/** The connection state that all executions of an agent share. */
export class Uplink {
  readonly space: Space;
  /** Undefined while the hub is not connected. */
  wire: HubWire | undefined;
  /** The executions that had output to send when the network was full. */
  readonly blocked = new Set<{ flow(): void }>();
  readonly #journalSeq: () => number;
  readonly #waiting = new Set<{ isBlocked(): boolean; release(): void }>();

  /** @param journalSeq how many lines the journal has */
  constructor(space: Space, journalSeq: () => number = () => 0) {
    this.space = space;
    this.#journalSeq = journalSeq;
  }

  /**
   * The line number that each ending carries, so that the hub notices an older journal (decision 61, the journal proves
   * itself).
   */
  get journalSeq(): number {
    return this.#journalSeq();
  }

  /** Resolves when `isHeld` returns false. It is checked after every change. */
  waitWhile(isBlocked: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const waiting = { isBlocked, release: resolve };
      this.#waiting.add(waiting);
    });
  }

  /** Continues sending when the network has room again. */
  drained(): void {
    const blocked = [...this.blocked];
    this.blocked.clear();
    for (const execution of blocked) execution.flow();
  }

  /** Called after an acknowledgement or a disconnect. */
  releaseUnblocked(): void {
    for (const waiting of this.#waiting) {
      if (waiting.isBlocked()) continue;
      this.#waiting.delete(waiting);
      waiting.release();
    }
  }
}
