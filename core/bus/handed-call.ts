import { z } from 'zod';

/** Hubs of two versions that do not understand each other's calls put them on record first, as for a hub that is not there. */
const VERSION = 1;

const text = z.string();
const handedSchema = z.object({
  v: z.literal(VERSION),
  /** When it was given, by the clock of the hub that gave it. */
  atMs: z.int(),
  username: text,
  slug: text,
  endpointId: text,
  endpointVersion: z.int(),
  definitionHash: text,
  method: text,
  values: z.array(z.tuple([text, text])),
  trigger: z.enum(['call', 'dashboard']),
  callerKind: z.enum(['api_key', 'member', 'anonymous']),
  callerId: text.optional(),
  asynchronous: z.boolean(),
  readTokenHash: text.optional(),
  idempotency: z
    .object({
      endpointId: text,
      credential: text,
      key: text,
      requestHash: text,
      expiresAtMs: z.int(),
    })
    .optional(),
});

/** A call that one hub has checked and gives to another, before anything of it is on record. */
export type ForwardedCall = Omit<z.output<typeof handedSchema>, 'v'>;

export function encodeForwardedCall(call: ForwardedCall): string {
  return JSON.stringify({ v: VERSION, ...call });
}

/** Undefined for what a hub of another version has written. */
export function decodeForwardedCall(json: string): ForwardedCall | undefined {
  return handedSchema.safeParse(JSON.parse(json)).data;
}
