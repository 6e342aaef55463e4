import { LIMITS } from '@svc/core/plan/limits';

/** The hub sends something at least every `sseSilenceMs`; after three silent periods a connection counts as broken. */
const SILENCE_MS = 3 * LIMITS.sseSilenceMs;
/** The hub begins each stream within `sseHeadMs`. A connection that is dead, or whose hub is gone, may not answer at all. */
const HEAD_MS = 10 * LIMITS.sseHeadMs;

/** `head`: the response has not begun. */
export type StreamStep = 'head' | 'body';

/** Calls `onSilence` unless the returned function is called before the hub has been silent for too long. */
export function watchSilence(step: StreamStep, onSilence: () => void): () => void {
  const timer = setTimeout(onSilence, step === 'head' ? HEAD_MS : SILENCE_MS);
  return () => clearTimeout(timer);
}

/** Waits for one step of a connection, and aborts the connection when that takes too long. */
export async function unlessSilent<Value>(
  step: StreamStep,
  connection: AbortController,
  pending: Promise<Value>,
): Promise<Value> {
  const callOff = watchSilence(step, () => connection.abort());
  try {
    return await pending;
  } finally {
    callOff();
  }
}
