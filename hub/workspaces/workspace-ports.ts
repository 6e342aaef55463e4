import type { ExecutionState } from '@svc/core/execution/state';

/** A workspace that nobody sees any more, and that has not been removed whole. */
export interface DeletedWorkspace {
  readonly id: string;
  readonly ownerId: string;
  readonly deletedAtMs: number;
}

/** What still waits or runs in a workspace. */
export interface UnfinishedExecution {
  readonly id: string;
  readonly state: ExecutionState;
  readonly workspaceId: string;
  readonly createdAtMs: number;
}
