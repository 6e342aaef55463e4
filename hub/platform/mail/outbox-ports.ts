export interface OutgoingMail {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly createdAtMs: number;
}

/** One that is to be sent now, and was tried so often before. */
export type ClaimedMail = OutgoingMail & { readonly tries: number };

/** Mail is stored first and delivered after; without SMTP it stays in the outbox for operators (decision 54). */
export interface MailOutbox {
  add(mail: OutgoingMail): Promise<void>;
  recent(limit: number): Promise<(OutgoingMail & { readonly sentAtMs: number | undefined })[]>;
  /** Those that were not delivered, the newest first. */
  waiting(limit: number): Promise<OutgoingMail[]>;
  find(id: string): Promise<OutgoingMail | undefined>;
  /**
   * The one that has been due for the longest, for this caller alone until `untilMs`: then it is due again, unless it was
   * sent or has failed before. Undefined when none is due.
   */
  claimDue(nowMs: number, untilMs: number): Promise<ClaimedMail | undefined>;
  sent(id: string, nowMs: number): Promise<void>;
  failed(id: string, nextAtMs: number, error: string): Promise<void>;
}
