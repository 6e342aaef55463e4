import type { Item } from '../api/read.ts';

/** An approval, pending or decided. */
export type ListedApproval = Item<'listApprovals'>;

/** The two decisions of an approver. */
export type Decision = 'approve' | 'deny';

/** The hub accepts no longer comment. */
export const MAX_COMMENT_CHARS = 500;
