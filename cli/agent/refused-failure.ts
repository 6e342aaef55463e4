import type { ConnectedAgent } from '@svc/agent/connected-agent';
import { EXIT, Failure } from '../failure.ts';

const TIPS = {
  unauthorized: 'make an agent token in the dashboard, and give it in SVC_TOKEN',
  name_refused: 'svc agent --name <the name that the token is for>, or make an agent token for this name',
  displaced: 'give each machine a state folder of its own: this one was copied',
  version: 'use the version of svc that the hub has',
  hello_refused: 'use the version of svc that the hub has: what it accepts may have changed',
} as const;

/** What a host of the hosted runner can do about it. */
export const HOST_TIPS = {
  ...TIPS,
  unauthorized: 'svc admin runner-token create, on the machine of the hub',
  name_refused: 'svc admin runner-token list says which token this host came with',
} as const;

/** Why the hub wants an agent, or a host, no more. */
export function refusedFailure(
  { reason, message }: Awaited<ConnectedAgent['refused']>,
  wasConnected: boolean,
  tips: Readonly<Record<keyof typeof TIPS, string>> = TIPS,
): Failure {
  return new Failure(`the hub does not accept this agent: ${message || reason}`, {
    tip: tips[reason],
    exitCode: wasConnected ? EXIT.failed : EXIT.badInput,
  });
}
