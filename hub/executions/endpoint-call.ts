import type { Workspace } from '../accounts/account-ports.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { NewExecution } from './execution-ports.ts';

/** A call by somebody who may make it. */
export interface EndpointCall {
  readonly workspace: Workspace;
  readonly target: RegisteredEndpoint;
  readonly method: string;
  readonly values: ReadonlyMap<string, string>;
  readonly trigger: NewExecution['trigger'];
  readonly callerKind: NewExecution['callerKind'];
  readonly callerId: string | undefined;
  /** The address that it came from; undefined for what no request asked for. */
  readonly from: string | undefined;
  readonly asynchronous: boolean;
  readonly readTokenHash: string | undefined;
  readonly idempotencyKey: string | undefined;
}
