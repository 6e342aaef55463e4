import type { Answer, Item } from '../api/read.ts';

/** An execution as it is listed. */
export type WireExecution = Item<'listExecutions'>;
/** One that is looked at: who called it, and with which values. */
export type ShownExecution = Answer<'showExecution'>;
