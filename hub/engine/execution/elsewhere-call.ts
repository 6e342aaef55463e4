import type { Refusal } from '@svc/core/refusal';
import type { OpenFeed } from '../cluster/elsewhere.ts';
import type { Acceptance, Execution, IdempotencyClaim } from '../ports/executions.ts';
import type { EndpointCall } from './endpoint-call.ts';

/** A call that has been checked, for an agent that is not connected to this hub. */
export interface ElsewhereCall {
  readonly call: EndpointCall;
  /** Of the hosted runner its plan leaves it less. */
  readonly timeoutSec: number;
  readonly idempotency: IdempotencyClaim | undefined;
  /** Why the agent of this name may not have the secrets of the command. */
  readonly refusalFor: (agentName: string) => Refusal | undefined;
}

/** `feed` has its output from the start; where there is none the record says how far it is. */
export type CalledElsewhere =
  | {
      readonly kind: 'elsewhere';
      readonly execution: Pick<Execution, 'id' | 'state' | 'hubId'>;
      readonly feed: OpenFeed | undefined;
    }
  | Extract<Acceptance, { kind: 'repeated' }>;
