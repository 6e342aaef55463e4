import type { FinalCloseReason } from '@svc/core/protocol/close-code';
import type { HubFrameOf } from '@svc/core/protocol/frame';
import type { Renewal } from './journal/read-journal.ts';

/** What became of the endpoints of a file: where they are called, which were refused, what to know besides. */
export type RegistrationResult = Pick<HubFrameOf<'registered'>, 'registered' | 'refused' | 'warnings'>;

/** What happens on the link, for a log. */
export type LinkEvent =
  | ({ readonly kind: 'connected'; readonly hub: string } & RegistrationResult)
  /** After a change of the file. */
  | ({ readonly kind: 'registered' } & RegistrationResult)
  | { readonly kind: 'disconnected'; readonly reason: string; readonly retryInMs: number }
  /** The state folder is not as this agent left it: the agent becomes a new instance, and its executions are lost. */
  | ({ readonly kind: 'journal_damaged' } & Renewal)
  /** Something that does not stop the agent: a disk that is full, a bug. */
  | { readonly kind: 'trouble'; readonly message: string; readonly cause: unknown };

/** Why the link gave up, for good. */
export interface LinkRefusal {
  readonly reason: FinalCloseReason | 'hello_refused';
  readonly message: string;
}
