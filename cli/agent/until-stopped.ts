import type { ConnectedAgent } from '@svc/agent/connected-agent';
import { plural } from '../plural.ts';
import { writeRows } from '../terminal.ts';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

type Refusal = Awaited<ConnectedAgent['refused']>;

/**
 * Settles when the agent has stopped: by a signal, after which what runs may finish until a second one, or because the hub
 * refused it for good. Then the answer says why.
 *
 * Commands are in sessions of their own, so Ctrl-C reaches this program alone and nothing is left running behind it.
 */
export async function untilStopped(agent: ConnectedAgent): Promise<Refusal | undefined> {
  const { promise: stopped, resolve, reject } = Promise.withResolvers<Refusal | undefined>();
  let signals = 0;
  const onSignal = () => {
    signals += 1;
    tell(agent.running(), signals === 1);
    const stopping = signals === 1 ? agent.stop() : agent.stopNow();
    stopping.then(() => resolve(undefined), reject);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  agent.refused
    .then((refusal) => {
      tell(agent.running(), true);
      return agent.stop().then(() => resolve(refusal));
    })
    .catch(reject);
  const refusal = await stopped;
  for (const signal of SIGNALS) process.off(signal, onSignal);
  return refusal;
}

function tell(running: number, isPatient: boolean): void {
  if (running === 0) return;
  const commands = plural(running, 'command');
  const text = isPatient
    ? `${commands} may finish; a second signal ends them now`
    : `${commands} told to end`;
  writeRows(process.stderr, [{ label: 'stopping', text }]);
}
