import type { Refusal } from '@svc/core/refusal';
import type { EndpointCall } from '../executions/endpoint-call.ts';
import type { Acceptance, Execution, IdempotencyClaim } from '../executions/execution-ports.ts';
import type { OpenFeed } from '../executions/remote/remote-hubs.ts';

/** A call that has been checked, for an agent that is not connected to this hub. */
export interface RemoteCall {
  readonly call: EndpointCall;
  /** Of the hosted runner its plan leaves it less. */
  readonly timeoutSec: number;
  readonly idempotency: IdempotencyClaim | undefined;
  /** Why no agent of this name may have the secrets of the command; the hub of the agent checks its token and its process. */
  readonly refusalForName: (agentName: string) => Refusal | undefined;
  /** Agents are here, and none of them may have the secrets. */
  readonly refusedHere?: Refusal | undefined;
}

/** `feed` has its output from the start; where there is none the record says how far it is. */
export type CalledRemotely =
  | {
      readonly kind: 'elsewhere';
      readonly execution: Pick<Execution, 'id' | 'state' | 'hubId'>;
      readonly feed: OpenFeed | undefined;
    }
  | Extract<Acceptance, { kind: 'repeated' }>;
