export interface OutgoingMail {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly createdAtMs: number;
}

/** A mail to send now, with the number of earlier attempts. */
export type ClaimedMail = OutgoingMail & { readonly tries: number };
