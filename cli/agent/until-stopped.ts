import type { ConnectedAgent } from '@svc/agent/connected-agent';
import { plural } from '../plural.ts';
import { writeRows } from '../terminal.ts';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

type Refusal = Awaited<ConnectedAgent['refused']>;

/**
 * Settles when the agent has stopped: by a signal, after which what runs may finish until a second one, or because the hub
 * refused it for good. Then the answer says why. While it starts a signal ends the process: nothing runs yet.
 *
 * Commands are in sessions of their own, so Ctrl-C reaches this program alone and nothing is left running behind it.
 */
export async function untilStopped(start: () => Promise<ConnectedAgent>): Promise<Refusal | undefined> {
  // NOTE: Not left to the kernel: the first process of a container is not ended by a signal that it has no handler for.
  const quit = () => process.exit(0);
  const agent = await heeding(quit, start);
  const { promise: stopped, resolve, reject } = Promise.withResolvers<Refusal | undefined>();
  let signals = 0;
  const onSignal = () => {
    signals += 1;
    tell(agent.running(), signals === 1);
    const stopping = signals === 1 ? agent.stop() : agent.stopNow();
    stopping.then(() => resolve(undefined), reject);
  };
  agent.refused
    .then((refusal) => {
      tell(agent.running(), true);
      return agent.stop().then(() => resolve(refusal));
    })
    .catch(reject);
  return await heeding(onSignal, () => stopped);
}

/** Calls `onSignal` for each signal that comes meanwhile. */
async function heeding<Result>(onSignal: () => void, work: () => Promise<Result>): Promise<Result> {
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    return await work();
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

function tell(running: number, isPatient: boolean): void {
  if (running === 0) return;
  const commands = plural(running, 'command');
  const text = isPatient
    ? `${commands} may finish; a second signal ends them now`
    : `${commands} told to end`;
  writeRows(process.stderr, [{ label: 'stopping', text }]);
}
