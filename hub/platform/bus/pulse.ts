import { setTimeout as pause } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';

const BEAT_MS = 1_000;
/** A working broker answers within milliseconds, also under load. */
const PATIENCE_MS = 1_500;

/**
 * Pings the broker each second and reports when an answer is overdue, and when a late one has come, until
 * the returned function is called. So a cut without a reset is suspected within 2.5 seconds.
 */
export function watchPulse(
  connection: Pick<NatsConnection, 'flush'>,
  tell: (isSuspect: boolean) => void,
): () => void {
  const stopped = new AbortController();
  void beat(connection, tell, stopped.signal);
  return () => stopped.abort();
}

async function beat(
  connection: Pick<NatsConnection, 'flush'>,
  tell: (isSuspect: boolean) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    let isAnswered = false;
    // It rejects when the connection breaks, which the client reports itself.
    const answered = connection.flush().then(
      () => (isAnswered = true),
      () => (isAnswered = true),
    );
    await Promise.race([answered, pause(PATIENCE_MS, undefined, { signal, ref: false }).catch(() => {})]);
    // After such a busy time the answer may have arrived unread.
    await nextTurn();
    await nextTurn();
    if (!isAnswered && !signal.aborted) {
      tell(true);
      await Promise.race([answered, aborted(signal)]);
      if (!signal.aborted) tell(false);
    }
    await pause(BEAT_MS, undefined, { signal, ref: false }).catch(() => {});
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
