import { z } from 'zod';
import { SLUG_PATTERN } from '../endpoint/slug.ts';
import { UUID } from '../text/uuid.ts';
import { isAgentName } from './agent-name.ts';
import { LINK_LIMITS } from './limits.ts';

// The fields of frames. `error` names what is accepted. Messages never repeat values, which may be secret.

const MAX_UINT32 = 0xffff_ffff;

/** A UUID in lower case. */
export const uuid = z.string({ error: 'a UUID' }).regex(UUID, { error: 'a UUID in lower case' });

/** SHA-256 of a definition in its canonical form. */
export const definitionHash = z
  .string({ error: '64 hexadecimal digits' })
  .regex(/^[0-9a-f]{64}$/, { error: '64 hexadecimal digits' });

/** A sequence number of output; 0 means before the first. */
export const sequence = wholeNumber(0, MAX_UINT32);

export const frameSlug = z.string({ error: 'a slug' }).regex(SLUG_PATTERN, { error: 'a slug' });

export const agentName = z
  .string({ error: 'the name of an agent' })
  .refine(isAgentName, { error: 'the name of an agent' });

/** A position in a trace: version 00 of W3C Trace Context, with only the flag that is passed on. */
export const traceparent = z
  .string({ error: 'a traceparent' })
  .regex(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/, { error: 'a traceparent' });

/** Text for people or from programs, with a limit in UTF-16 code units. */
export function text(chars: number) {
  const error = `text of at most ${chars} characters`;
  return z.string({ error }).max(chars, { error });
}

export const message = text(LINK_LIMITS.messageChars);

export function wholeNumber(min: number, max: number) {
  const error = `a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

export const frameFlag = z.boolean({ error: 'true or false' });

/** A position in the body of a call, in bytes. */
export const offset = wholeNumber(0, Number.MAX_SAFE_INTEGER);

export function frameList<Item extends z.ZodType>(item: Item, max: number) {
  const error = `a list of at most ${max} items`;
  return z.array(item, { error }).max(max, { error });
}

/** An object with a limited number of keys. */
export function mapOf<Value extends z.ZodType>(value: Value, max: number) {
  const error = `an object with at most ${max} keys`;
  return z.record(z.string(), value, { error }).refine((map) => Object.keys(map).length <= max, { error });
}

export function frameEnum<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: `one of ${values.join(', ')}` });
}

/** The deepest nesting in a frame, so readers need no guard of their own. */
function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((item) => isShallow(item, depth - 1));
}

/** The object of an endpoint or pipeline in svc.yaml; its reader checks the content. */
export const definition = z
  .record(z.string(), z.unknown(), { error: 'a definition' })
  .refine((value) => isShallow(value, LINK_LIMITS.definitionDepth), {
    error: `a definition of at most ${LINK_LIMITS.definitionDepth} levels`,
  });
