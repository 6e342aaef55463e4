import type { AgentAddress } from './directory-ports.ts';

/** The last known line of an agent process's journal. */
export interface JournalMark extends AgentAddress {
  /** The number of the last line. */
  readonly seq: number;
}
