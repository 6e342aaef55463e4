import { decodeText, refuseOtherThanJson } from '@svc/core/api/call-values';
import { refuseFields } from '@svc/core/api/field-problem';
import { readJsonFields } from '@svc/core/api/json/read-json';
import type { Trigger } from '@svc/core/pipeline/definition/pipeline';
import { checkInput } from '@svc/core/pipeline/input/check-input';
import type { JsonObject, JsonValue } from '@svc/core/pipeline/reference/json-value';
import { refuse } from '@svc/core/refusal';

const FORM = /^application\/x-www-form-urlencoded\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

/** The body of a call to a pipeline. */
export interface ReceivedBody {
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** The sender has proved its identity. */
  readonly isSigned: boolean;
}

/**
 * The input of a run from the body of the call. Declared fields are validated, all others are ignored (decision 43, calling
 * a pipeline).
 *
 * A manual trigger declares no fields, so its body is optional and ignored.
 */
export function readInput(trigger: Pick<Trigger, 'inputSchema'>, body: ReceivedBody): JsonObject {
  const names = new Set(trigger.inputSchema.map(({ name }) => name));
  return checkedInput(trigger, body.bytes.length === 0 ? {} : readJsonFields(jsonIn(body), names));
}

/** The same for a parsed value; throws `invalid_argument` with the fields. */
export function checkedInput({ inputSchema }: Pick<Trigger, 'inputSchema'>, value: JsonValue): JsonObject {
  const checked = checkInput(inputSchema, value);
  if (checked.kind === 'problems') throw refuseFields(checked.problems);
  return checked.input;
}

/**
 * The JSON as text. GitHub can also send it as the only field of a form.
 *
 * NOTE: A page of any site can send a form without a preflight request, so a form must be signed.
 */
function jsonIn({ headers, bytes, isSigned }: ReceivedBody): string {
  const text = decodeText(bytes);
  const isForm = FORM.test(headers.get('content-type') ?? '');
  if (!isForm || !isSigned) {
    refuseOtherThanJson({ headers });
    return text;
  }
  const [payload, ...more] = new URLSearchParams(text).getAll('payload');
  if (payload === undefined || more.length > 0)
    throw refuse('invalid_argument', 'a form with one field "payload" expected, or application/json');
  return payload;
}
