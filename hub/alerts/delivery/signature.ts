import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

export interface Signed {
  readonly id: string;
  readonly timestampSec: number;
  readonly body: string;
}

/** The headers of Standard Webhooks 1.0; with several secrets one signature for each, so that either can be checked. */
export function signatureHeaders(
  { id, timestampSec, body }: Signed,
  secrets: readonly string[],
): Record<string, string> {
  const signed = `${id}.${timestampSec}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSec),
    ...(signatures.length === 0 ? {} : { 'webhook-signature': signatures.join(' ') }),
  };
}
