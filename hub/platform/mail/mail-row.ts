export interface MailRow {
  id: string;
  recipient: string;
  subject: string;
  /** Text and HTML, sealed: there are links in them. */
  sealed_body: string;
  created_at_ms: number;
  sent_at_ms: number | null;
  /** When it is tried next. */
  next_at_ms: number;
  tries: number;
  error: string | null;
}
