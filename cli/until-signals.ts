const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Settles when `stop` has; it is called with the number of signals that came so far, so that a second one can mean
 * less patience.
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
