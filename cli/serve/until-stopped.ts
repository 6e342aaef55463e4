import type { RunningServer } from '@svc/agent/serve';
import { plural } from '../plural.ts';
import { writeRows } from '../terminal.ts';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Resolves when a signal has stopped the server. Commands may finish for `graceMs` or until a second signal.
 *
 * Commands run in their own sessions, so Ctrl-C reaches only this program, which stops them in order.
 */
export async function untilServerStopped(server: RunningServer, graceMs: number): Promise<void> {
  const { promise: stopped, resolve, reject } = Promise.withResolvers<void>();
  let signals = 0;
  const onSignal = () => {
    signals += 1;
    const leftMs = signals === 1 ? graceMs : 0;
    reportStopping(server.running(), leftMs);
    server.stop({ graceMs: leftMs }).then(resolve, reject);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  await stopped;
  for (const signal of SIGNALS) process.off(signal, onSignal);
}

function reportStopping(running: number, leftMs: number): void {
  if (running === 0) return;
  const commands = plural(running, 'command');
  const text =
    leftMs > 0
      ? `${commands} may finish within ${leftMs / 1000} s; a second signal ends them now`
      : `ending ${commands}`;
  writeRows(process.stderr, [{ label: 'stopping', text }]);
}
