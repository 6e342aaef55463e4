const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Calls `stop` on each signal with the count of signals so far, so that a second one can stop faster. Resolves when `stop` has.
 */
export async function untilSignals(stop: (signals: number) => Promise<void>): Promise<void> {
  const { promise: stopped, resolve, reject } = Promise.withResolvers<void>();
  let signals = 0;
  const onSignal = () => {
    signals += 1;
    stop(signals).then(resolve, reject);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    await stopped;
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}
