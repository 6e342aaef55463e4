import type { Histogram } from './histogram.ts';

const EVERY_MS = 100;

/** Measures how late timers fire, until the returned function is called. */
export function watchEventLoop(delay: Histogram): () => void {
  let dueAtMs = performance.now() + EVERY_MS;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    delay.observe((nowMs - dueAtMs) / 1000);
    dueAtMs = nowMs + EVERY_MS;
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
