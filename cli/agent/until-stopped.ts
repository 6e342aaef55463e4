import type { ConnectedAgent } from '@svc/agent/connected-agent';
import { plural } from '../plural.ts';
import { writeRows } from '../terminal.ts';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

type Refusal = Awaited<ConnectedAgent['refused']>;

/**
 * Resolves when the agent has stopped: on a signal, after which commands may finish until a second signal, or on a final refusal
 * of the hub, which is the result. A signal during the start ends the process, since nothing runs yet.
 *
 * Commands run in their own sessions, so Ctrl-C reaches only this program, which stops them in order.
 */
export async function untilAgentStopped(start: () => Promise<ConnectedAgent>): Promise<Refusal | undefined> {
  // NOTE: the kernel does not end the first process of a container on a signal without a handler.
  const quit = () => process.exit(0);
  const agent = await withSignalHandler(quit, start);
  const { promise: stopped, resolve, reject } = Promise.withResolvers<Refusal | undefined>();
  let signals = 0;
  const onSignal = () => {
    signals += 1;
    reportStopping(agent.running(), signals === 1);
    const stopping = signals === 1 ? agent.stop() : agent.stopNow();
    stopping.then(() => resolve(undefined), reject);
  };
  agent.refused
    .then((refusal) => {
      reportStopping(agent.running(), true);
      return agent.stop().then(() => resolve(refusal));
    })
    .catch(reject);
  return await withSignalHandler(onSignal, () => stopped);
}

/** Calls `onSignal` for each signal until `work` is done. */
async function withSignalHandler<Result>(onSignal: () => void, work: () => Promise<Result>): Promise<Result> {
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    return await work();
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

function reportStopping(running: number, mayFinish: boolean): void {
  if (running === 0) return;
  const commands = plural(running, 'command');
  const text = mayFinish ? `${commands} may finish; a second signal ends them now` : `ending ${commands}`;
  writeRows(process.stderr, [{ label: 'stopping', text }]);
}
