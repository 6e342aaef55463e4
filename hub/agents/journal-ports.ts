import type { AlertEvent } from '@svc/core/alert/event';
import type { AgentAddress } from './directory-ports.ts';

/** The last line number that a hub knows of the journal of an agent process. */
export interface JournalMark extends AgentAddress {
  /** The number of its last line. */
  readonly seq: number;
}

/** What is on record of the journals of agents and hosts (decision 61). */
export interface AgentJournals {
  /** The highest number that was stored; 0 for a process that is not known. */
  seqOf(address: AgentAddress): Promise<number>;
  /** Stores a number, unless there is a higher one. */
  mark(mark: JournalMark): Promise<void>;
  /** The process began as a new instance. Stored once, with its alert; false when it is on record already. */
  damaged(address: AgentAddress, atMs: number, events: readonly AlertEvent[]): Promise<boolean>;
}
