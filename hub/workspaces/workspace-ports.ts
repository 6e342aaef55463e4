import type { AuditEntry } from '@svc/core/audit/entry';
import type { ExecutionState } from '@svc/core/execution/state';
import type { Workspace } from '../accounts/account-ports.ts';

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

/** How workspaces end: at once for everybody, and then piece by piece in the store. */
export interface WorkspaceRemoval {
  /**
   * One transaction: nobody finds it any more; its keys, tokens and invitations, and the sessions of its owner, are good for
   * nothing; its audit log is closed with this entry. False when somebody else was faster.
   */
  begin(workspace: Pick<Workspace, 'id' | 'ownerId'>, entry: AuditEntry): Promise<boolean>;
  /** Those whose removal has begun, by whichever hub, and is not over. */
  begun(): Promise<DeletedWorkspace[]>;
  /** What of it is queued or running. */
  unfinished(workspaceId: string): Promise<readonly UnfinishedExecution[]>;
  /**
   * Removes some of what is left, in one short transaction; `gone` when that was all. Any hub may do it, several at once, and
   * again after a crash. The owner goes, too, unless they are in a team or have begun anew.
   */
  removeSome(workspace: DeletedWorkspace): Promise<'more' | 'gone'>;
}
