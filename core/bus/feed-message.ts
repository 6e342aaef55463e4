import { z } from 'zod';
import type { Ended } from '../execution/outcome.ts';
import { REASONS } from '../execution/state.ts';
import { LINK_LIMITS } from '../protocol/limits.ts';
import { REFUSAL_CODES } from '../refusal.ts';

/**
 * One message of a feed: output of an execution on its way from the hub of its agent to a hub with a follower.
 *
 *   u8 kind | u32 number of the message, from 1 | u32 sequence number | u32 length of the endings | endings, UTF-8 | bytes
 *
 * Numbers are big-endian. Only `output` has the last three parts. In `ended`, JSON with the outcome follows the number.
 * A gap in the numbers is a lost message.
 */
export type FeedMessage = { readonly number: number } & FeedEvent;

export type FeedEvent =
  | {
      readonly kind: 'output';
      readonly seq: number;
      readonly endings: string | undefined;
      readonly sse: Uint8Array;
    }
  /** Undefined: the outcome is in the record. */
  | { readonly kind: 'ended'; readonly ended: Ended | undefined }
  /** Another hub now has the execution, or the reader was too slow. */
  | { readonly kind: 'moved' }
  | { readonly kind: 'dropped' };

const KINDS = ['output', 'ended', 'moved', 'dropped'] as const;
const NUMBER_AT = 1;
const SHORT_BYTES = 5;
const SEQ_AT = 5;
const ENDINGS_LENGTH_AT = 9;
const OUTPUT_AT = 13;
const NOTHING = new Uint8Array(0);

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function encodeFeedMessage(message: FeedMessage): Uint8Array {
  if (message.kind !== 'output') return withRest(message, SHORT_BYTES, endOf(message));
  const endings = encoder.encode(message.endings ?? '');
  const bytes = withRest(message, OUTPUT_AT + endings.length, message.sse);
  const view = new DataView(bytes.buffer);
  view.setUint32(SEQ_AT, message.seq);
  view.setUint32(ENDINGS_LENGTH_AT, endings.length);
  bytes.set(endings, OUTPUT_AT);
  return bytes;
}

/** The fixed head of a message, and the part of its content from a given place. */
function withRest({ kind, number }: FeedMessage, at: number, rest: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(at + rest.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, KINDS.indexOf(kind));
  view.setUint32(NUMBER_AT, number);
  bytes.set(rest, at);
  return bytes;
}

/** The reader takes a longer outcome from the record. */
function endOf(message: FeedEvent): Uint8Array {
  const end =
    message.kind === 'ended' && message.ended ? encoder.encode(encodeEnded(message.ended)) : NOTHING;
  return SHORT_BYTES + end.length > LINK_LIMITS.outputFrameBytes ? NOTHING : end;
}

/** Decodes a message; undefined for any other bytes. `sse` is a view on the message, not a copy. */
export function decodeFeedMessage(bytes: Uint8Array): FeedMessage | undefined {
  const kind = KINDS[bytes[0] ?? KINDS.length];
  if (kind === undefined || bytes.length < SHORT_BYTES || bytes.length > LINK_LIMITS.outputFrameBytes)
    return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const number = view.getUint32(NUMBER_AT);
  if (kind === 'ended')
    return { number, kind, ended: decodeEnded(decoder.decode(bytes.subarray(SHORT_BYTES))) };
  if (kind !== 'output') return { number, kind };
  if (bytes.length < OUTPUT_AT) return undefined;
  const start = OUTPUT_AT + view.getUint32(ENDINGS_LENGTH_AT);
  if (start > bytes.length) return undefined;
  const endings = start === OUTPUT_AT ? undefined : decoder.decode(bytes.subarray(OUTPUT_AT, start));
  return { number, kind, seq: view.getUint32(SEQ_AT), endings, sse: bytes.subarray(start) };
}

const endedSchema = z.object({
  state: z.enum(['succeeded', 'failed', 'timed_out', 'cancelled', 'lost', 'rejected', 'missed']),
  reason: z.enum(REASONS).optional(),
  error: z.string().optional(),
  errorCode: z.enum(REFUSAL_CODES).optional(),
  exitCode: z.int().optional(),
  durationMs: z.number().optional(),
  data: z.string().optional(),
});

/** The outcome of an execution as JSON. */
function encodeEnded({ state, reason, error, errorCode, exitCode, durationMs, data }: Ended): string {
  return JSON.stringify({ state, reason, error, errorCode, exitCode, durationMs, data });
}

/** Undefined for any other text, whatever it is. */
function decodeEnded(json: string): Ended | undefined {
  const read = endedSchema.safeParse(parsed(json)).data;
  if (read === undefined) return undefined;
  const { state, reason, error, errorCode, exitCode, durationMs, data } = read;
  return { state, reason, error, errorCode, exitCode, durationMs, data };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
