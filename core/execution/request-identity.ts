/**
 * Everything that makes two requests with one `Idempotency-Key` the same, as text to be hashed (decision 23, idempotency).
 *
 * The order in which values were sent and whether they came in query or body make no difference; nor does the format of
 * the answer, which is read back for each request.
 */
export function requestIdentity(
  method: string,
  values: ReadonlyMap<string, string>,
  callbackUrl?: string,
  bodySha256?: Uint8Array,
): string {
  const sorted = [...values].sort(([a], [b]) => (a < b ? -1 : 1));
  // Without a callback the text is that of earlier versions, whose keys are still on record.
  const callback = callbackUrl === undefined ? [] : [callbackUrl];
  const body = bodySha256 === undefined ? [] : [{ sha256: bodySha256.toHex() }];
  return JSON.stringify([method, sorted, ...callback, ...body]);
}

/** Visible ASCII and spaces, as every sender can write it. */
const KEY = /^[\x20-\x7e]{1,255}$/;

export function isIdempotencyKey(text: string): boolean {
  return KEY.test(text);
}
