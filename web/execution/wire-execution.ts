import type { Answer, Item } from '../api/read.ts';

/** An execution in a list. */
export type WireExecution = Item<'listExecutions'>;
/** An execution with its caller and values. */
export type ShownExecution = Answer<'showExecution'>;
