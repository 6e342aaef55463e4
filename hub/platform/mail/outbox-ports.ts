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
