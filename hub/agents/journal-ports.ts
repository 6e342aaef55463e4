import type { AgentAddress } from './directory-ports.ts';

/** The last line number that a hub knows of the journal of an agent process. */
export interface JournalMark extends AgentAddress {
  /** The number of its last line. */
  readonly seq: number;
}
