export interface MailRow {
  id: string;
  recipient: string;
  subject: string;
  /** Text and HTML, sealed because they contain links. */
  sealed_body: string;
  created_at_ms: number;
  sent_at_ms: number | null;
  /** The time of the next attempt. */
  next_at_ms: number;
  tries: number;
  error: string | null;
}
