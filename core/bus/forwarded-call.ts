import { z } from 'zod';

/** Hubs with different versions of this form do not forward calls to each other; they record them first. */
const VERSION = 1;

const text = z.string();
const handedSchema = z.object({
  v: z.literal(VERSION),
  /** The time of forwarding, by the clock of the sending hub. */
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

/** A call that one hub has checked and forwards to another before it is recorded. */
export type ForwardedCall = Omit<z.output<typeof handedSchema>, 'v'>;

export function encodeForwardedCall(call: ForwardedCall): string {
  return JSON.stringify({ v: VERSION, ...call });
}

/** Undefined for the form of another version. */
export function decodeForwardedCall(json: string): ForwardedCall | undefined {
  return handedSchema.safeParse(JSON.parse(json)).data;
}
