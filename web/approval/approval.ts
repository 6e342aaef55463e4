import type { Item } from '../api/read.ts';

/** A call that is or was held for a person. */
export type Approval = Item<'listApprovals'>;

/** What somebody who may decide on it can say. */
export type Decision = 'approve' | 'deny';
