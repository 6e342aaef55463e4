import type { RunningServer } from '@svc/agent/serve';
import { plural } from '../plural.ts';
import { writeRows } from '../terminal.ts';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Settles when a signal has stopped the server: what runs may finish for `graceMs`, until a second signal.
 *
 * Commands are in sessions of their own, so Ctrl-C reaches this program alone and nothing is left running behind it.
 */
export async function untilStopped(server: RunningServer, graceMs: number): Promise<void> {
  const { promise: stopped, resolve, reject } = Promise.withResolvers<void>();
  let signals = 0;
  const onSignal = () => {
    signals += 1;
    const patienceMs = signals === 1 ? graceMs : 0;
    tell(server.running(), patienceMs);
    server.stop({ graceMs: patienceMs }).then(resolve, reject);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  await stopped;
  for (const signal of SIGNALS) process.off(signal, onSignal);
}

function tell(running: number, patienceMs: number): void {
  if (running === 0) return;
  const commands = plural(running, 'command');
  const text =
    patienceMs > 0
      ? `${commands} may finish within ${patienceMs / 1000} s; a second signal ends them now`
      : `${commands} told to end`;
  writeRows(process.stderr, [{ label: 'stopping', text }]);
}
