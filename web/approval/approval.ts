import type { Item } from '../api/read.ts';

/** An approval, pending or decided. */
export type Approval = Item<'listApprovals'>;

/** The two decisions of an approver. */
export type Decision = 'approve' | 'deny';
