import type { Ended } from '../execution/outcome.ts';
import { LINK_LIMITS } from '../protocol/limits.ts';
import { decodeEnded, encodeEnded } from './wire-ended.ts';

/**
 * One message of a feed: output of an execution on its way from the hub that has its agent to one where somebody follows it.
 *
 *   u8 kind | u32 number of the message, from 1 | u32 sequence number | u32 length of the endings | endings, UTF-8 | bytes
 *
 * Numbers are big-endian; the last three parts are those of `output` alone. After the number of `ended` stands how it ended, JSON.
 * A number that is left out is a message that was lost.
 */
export type FeedMessage = { readonly number: number } & FeedEvent;

export type FeedEvent =
  | {
      readonly kind: 'output';
      readonly seq: number;
      readonly endings: string | undefined;
      readonly sse: Uint8Array;
    }
  /** Undefined: the record has how. */
  | { readonly kind: 'ended'; readonly ended: Ended | undefined }
  /** Another hub has the execution now, or the reader did not keep up. */
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

/** Its head, and from a place on what it carries. */
function withRest({ kind, number }: FeedMessage, at: number, rest: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(at + rest.length);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, KINDS.indexOf(kind));
  view.setUint32(NUMBER_AT, number);
  bytes.set(rest, at);
  return bytes;
}

/** What is longer than a message may be is read from the record. */
function endOf(message: FeedEvent): Uint8Array {
  const end =
    message.kind === 'ended' && message.ended ? encoder.encode(encodeEnded(message.ended)) : NOTHING;
  return SHORT_BYTES + end.length > LINK_LIMITS.outputFrameBytes ? NOTHING : end;
}

/** Undefined for what is none, whatever the bytes; `sse` is a view on the message, not a copy. */
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
