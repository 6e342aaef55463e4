import type { AgentFrameOf } from '@svc/core/protocol/frame';
import type { Space } from '../unsent/space.ts';

/** The way to the hub while there is one. */
export interface HubWire {
  send(frame: AgentFrameOf<'ended'>): void;
  /** False when too much waits for the network already. */
  sendOutput(message: Uint8Array<ArrayBuffer>): boolean;
}

/** What all executions of an agent share on their way to the hub. */
export class Uplink {
  readonly space: Space;
  /** Undefined while there is no hub. */
  wire: HubWire | undefined;
  /** What had something to send when the network took no more. */
  readonly blocked = new Set<{ flow(): void }>();
  readonly #journalSeq: () => number;
  readonly #waiting = new Set<{ isHeld(): boolean; release(): void }>();

  /** @param journalSeq how many lines the journal has */
  constructor(space: Space, journalSeq: () => number = () => 0) {
    this.space = space;
    this.#journalSeq = journalSeq;
  }

  /** The line number that each end carries, by which the hub notices an older journal (decision 61). */
  get journalSeq(): number {
    return this.#journalSeq();
  }

  /** Settles when `isHeld` says so no more; looked at whenever something may have changed. */
  hold(isHeld: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const waiting = { isHeld, release: resolve };
      this.#waiting.add(waiting);
    });
  }

  /** There is room on the network again. */
  drained(): void {
    const blocked = [...this.blocked];
    this.blocked.clear();
    for (const execution of blocked) execution.flow();
  }

  /** Something was acknowledged, or the hub has gone. */
  review(): void {
    for (const waiting of this.#waiting) {
      if (waiting.isHeld()) continue;
      this.#waiting.delete(waiting);
      waiting.release();
    }
  }
}
