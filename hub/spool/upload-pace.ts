import type { BodyPiece, CallBody } from '@svc/core/api/call-body';
import { type Refusal, refuse } from '@svc/core/refusal';
import type { Clock } from '../platform/world.ts';

/** An upload into the spool ends after this time. The sweep relies on it. */
export const SPOOL_UPLOAD_MS = 60 * 60_000;
/** A caller that sends nothing for this time is refused. The hub closes silent connections only later, so the caller learns why. */
export const UPLOAD_IDLE_MS = 45_000;
/** A caller for which the hub has waited this long must have sent `MIN_BYTES_PER_SEC` on average. */
export const SLOW_AFTER_MS = 5 * 60_000;
export const MIN_BYTES_PER_SEC = 8 * 1024;
const TOO_LONG = 'its upload took more than an hour';

/** Reads a body, and ends an upload that holds its slot without use: one that is silent, slow, or takes too long as a whole. */
export class UploadPace {
  readonly #clock: Clock;
  readonly #body: Pick<CallBody, 'next'>;
  readonly #endsAtMs: number;
  /** Only the time in which the hub waited for the caller: a slow store is not the fault of the caller. */
  #waitedMs = 0;
  #bytes = 0;

  constructor(clock: Clock, body: Pick<CallBody, 'next'>) {
    this.#clock = clock;
    this.#body = body;
    this.#endsAtMs = clock.nowMs() + SPOOL_UPLOAD_MS;
  }

  /** @throws `cancelled`, with the reason; the body is still open then */
  async next(): Promise<BodyPiece> {
    const sinceMs = this.#clock.nowMs();
    const piece = await this.#inTime(this.#body.next());
    this.#waitedMs += this.#clock.nowMs() - sinceMs;
    this.refuseLate();
    if (piece.kind !== 'bytes') return piece;
    this.#bytes += piece.bytes.length;
    if (this.#waitedMs > SLOW_AFTER_MS && this.#bytes < (this.#waitedMs / 1000) * MIN_BYTES_PER_SEC)
      throw cutOff(`fewer than ${MIN_BYTES_PER_SEC} bytes a second came`);
    return piece;
  }

  /** @throws `cancelled` if the upload has taken too long */
  refuseLate(): void {
    if (this.#clock.nowMs() >= this.#endsAtMs) throw cutOff(TOO_LONG);
  }

  async #inTime(next: Promise<BodyPiece>): Promise<BodyPiece> {
    const late = Promise.withResolvers<never>();
    const forget = this.#clock.at(Math.min(this.#clock.nowMs() + UPLOAD_IDLE_MS, this.#endsAtMs), () => {
      const isOver = this.#clock.nowMs() >= this.#endsAtMs;
      late.reject(cutOff(isOver ? TOO_LONG : `no byte came for ${UPLOAD_IDLE_MS / 1000} seconds`));
    });
    return await Promise.race([next, late.promise]).finally(forget);
  }
}

function cutOff(why: string): Refusal {
  return refuse('cancelled', `the input was cut off: ${why}`);
}
