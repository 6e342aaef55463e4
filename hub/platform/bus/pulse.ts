import { setTimeout as pause } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';

const INTERVAL_MS = 1_000;
/** A working broker answers within milliseconds, also under load. */
const TIMEOUT_MS = 1_500;

/**
 * Pings the broker each second. Reports when an answer is overdue, and when a late answer has come, until the returned
 * function is called. A connection that was cut without a reset is thus suspected within 2.5 seconds.
 */
export function watchPulse(
  connection: Pick<NatsConnection, 'flush'>,
  onSuspect: (isSuspect: boolean) => void,
): () => void {
  const stopped = new AbortController();
  void ping(connection, onSuspect, stopped.signal);
  return () => stopped.abort();
}

async function ping(
  connection: Pick<NatsConnection, 'flush'>,
  onSuspect: (isSuspect: boolean) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    let isAnswered = false;
    // `flush` rejects when the connection breaks, which the client reports itself.
    const answered = connection.flush().then(
      () => (isAnswered = true),
      () => (isAnswered = true),
    );
    await Promise.race([answered, pause(TIMEOUT_MS, undefined, { signal, ref: false }).catch(() => {})]);
    // The process may have been busy for long, so the answer may have arrived unread.
    await nextTick();
    await nextTick();
    if (!isAnswered && !signal.aborted) {
      onSuspect(true);
      await Promise.race([answered, aborted(signal)]);
      if (!signal.aborted) onSuspect(false);
    }
    await pause(INTERVAL_MS, undefined, { signal, ref: false }).catch(() => {});
  }
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
