import type { Workspace } from '../accounts/account-ports.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { NewExecution } from './execution-ports.ts';

/** The request of a caller who may call the endpoint. */
export interface CallRequest {
  readonly workspace: Workspace;
  readonly target: RegisteredEndpoint;
  readonly method: string;
  readonly values: ReadonlyMap<string, string>;
  readonly trigger: NewExecution['trigger'];
  readonly callerKind: NewExecution['callerKind'];
  readonly callerId: string | undefined;
  /** The address of the caller; undefined where no HTTP request began the call. */
  readonly from: string | undefined;
  readonly asynchronous: boolean;
  readonly readTokenHash: string | undefined;
  readonly idempotencyKey: string | undefined;
}
