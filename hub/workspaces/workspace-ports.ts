import type { ExecutionState } from '@svc/core/execution/state';

/** A deleted workspace whose rows are not all removed yet. */
export interface DeletedWorkspace {
  readonly id: string;
  readonly ownerId: string;
  readonly deletedAtMs: number;
}

/** A queued or running execution of a workspace. */
export interface UnfinishedExecution {
  readonly id: string;
  readonly state: ExecutionState;
  readonly workspaceId: string;
  readonly createdAtMs: number;
}
