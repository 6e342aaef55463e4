import type { ConnectedAgent } from '@svc/agent/connected-agent';
import { EXIT, Failure } from '../failure.ts';

const TIPS = {
  unauthorized: 'create an agent token in the dashboard and set it as SVC_TOKEN',
  name_refused: 'svc agent --name <name of the token>, or create an agent token for this name',
  displaced: 'use a separate state folder on each machine: this one was copied',
  version: 'use the svc version of the hub',
  hello_refused: 'use the svc version of the hub',
} as const;

/** The tips for a host of the hosted runner. */
export const HOST_TIPS = {
  ...TIPS,
  unauthorized: 'svc admin runner-token create, on the machine of the hub',
  name_refused: 'svc admin runner-token list shows the token of this host',
} as const;

/** The failure for a final refusal of an agent or a host. */
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
