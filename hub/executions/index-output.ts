import type { Clock } from '../platform/world.ts';
import type { OutputIndex } from './store/output-index.ts';

/** Writes per millisecond from which the hub counts as busy with calls; each call has three. */
const BUSY_WRITES_PER_MS = 0.1;
/** The pause after a step, as a multiple of its time: half of the time is left to others, and nearly all of it while calls come. */
const PAUSE = { idle: 1, busy: 19 } as const;

interface IndexOutputDeps {
  readonly index: Pick<OutputIndex, 'step'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Writes since the start. */
  readonly writes: () => number;
}

/** Indexes stored output until nothing is left or the signal aborts, in steps with pauses for calls. */
export async function indexOutput(
  { index, clock, writes }: IndexOutputDeps,
  signal: AbortSignal,
): Promise<void> {
  let isBusy = true;
  while (!signal.aborted) {
    const [beganAtMs, written] = [performance.now(), writes()];
    if (!(await index.step(clock.nowMs()))) return;
    const tookMs = performance.now() - beganAtMs;
    await Bun.sleep(tookMs * (isBusy ? PAUSE.busy : PAUSE.idle));
    // One of these writes is the step.
    isBusy = (writes() - written - 1) / (performance.now() - beganAtMs) >= BUSY_WRITES_PER_MS;
  }
}
