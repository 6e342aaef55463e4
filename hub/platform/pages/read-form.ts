import { refuse } from '@svc/core/refusal';

const FORM = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;
/** Far more than our forms need. */
const MOST_BYTES = 16 * 1024;

/** The fields of a form from one of our pages. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  if (!FORM.test(request.headers.get('content-type') ?? ''))
    throw refuse('unsupported_media_type', 'a form of this page expected');
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > MOST_BYTES) throw refuse('payload_too_large', `the form is larger than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString());
}
