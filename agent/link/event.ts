import type { FinalCloseReason } from '@svc/core/protocol/close-code';
import type { HubFrameOf } from '@svc/core/protocol/frame';
import type { Renewal } from './journal/read-journal.ts';

/** The outcome of a registration: the URLs of the endpoints, the refused ones, and warnings. */
export type RegistrationResult = Pick<HubFrameOf<'registered'>, 'registered' | 'refused' | 'warnings'>;

/** The events of the link, for a log. */
export type LinkEvent =
  | ({ readonly kind: 'connected'; readonly hub: string } & RegistrationResult)
  /** After a change of the file. */
  | ({ readonly kind: 'registered' } & RegistrationResult)
  | { readonly kind: 'disconnected'; readonly reason: string; readonly retryInMs: number }
  /** The state folder differs from what this agent left. The agent becomes a new instance, and its executions are lost. */
  | ({ readonly kind: 'journal_damaged' } & Renewal)
  /** A failure that does not stop the agent, such as a full disk or a bug. */
  | { readonly kind: 'trouble'; readonly message: string; readonly cause: unknown };

/** Why the link ended for good. */
export interface LinkRefusal {
  readonly reason: FinalCloseReason | 'hello_refused';
  readonly message: string;
}
