import { LINK_LIMITS } from '../protocol/limits.ts';

/**
 * One message of a feed: output of an execution on its way from the hub that has its agent to one where somebody follows it.
 *
 *   u8 kind | u32 number of the message, from 1 | u32 sequence number | u32 length of the endings | endings, UTF-8 | bytes
 *
 * Numbers are big-endian; the last three parts are those of `output` alone. A number that is left out is a message that was lost.
 */
export type FeedMessage = { readonly number: number } & FeedNews;

export type FeedNews =
  | {
      readonly kind: 'output';
      readonly seq: number;
      readonly endings: string | undefined;
      readonly sse: Uint8Array;
    }
  /** The record has how. */
  | { readonly kind: 'ended' }
  /** Another hub has the execution now, or the reader did not keep up. */
  | { readonly kind: 'moved' }
  | { readonly kind: 'dropped' };

const KINDS = ['output', 'ended', 'moved', 'dropped'] as const;
const NUMBER_AT = 1;
const SHORT_BYTES = 5;
const SEQ_AT = 5;
const ENDINGS_LENGTH_AT = 9;
const OUTPUT_AT = 13;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function encodeFeedMessage(message: FeedMessage): Uint8Array {
  const isOutput = message.kind === 'output';
  const endings = encoder.encode(isOutput ? (message.endings ?? '') : '');
  const bytes = new Uint8Array(isOutput ? OUTPUT_AT + endings.length + message.sse.length : SHORT_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, KINDS.indexOf(message.kind));
  view.setUint32(NUMBER_AT, message.number);
  if (!isOutput) return bytes;
  view.setUint32(SEQ_AT, message.seq);
  view.setUint32(ENDINGS_LENGTH_AT, endings.length);
  bytes.set(endings, OUTPUT_AT);
  bytes.set(message.sse, OUTPUT_AT + endings.length);
  return bytes;
}

/** Undefined for what is none, whatever the bytes; `sse` is a view on the message, not a copy. */
export function decodeFeedMessage(bytes: Uint8Array): FeedMessage | undefined {
  const kind = KINDS[bytes[0] ?? KINDS.length];
  if (kind === undefined || bytes.length < SHORT_BYTES || bytes.length > LINK_LIMITS.outputFrameBytes)
    return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const number = view.getUint32(NUMBER_AT);
  if (kind !== 'output') return { number, kind };
  if (bytes.length < OUTPUT_AT) return undefined;
  const start = OUTPUT_AT + view.getUint32(ENDINGS_LENGTH_AT);
  if (start > bytes.length) return undefined;
  const endings = start === OUTPUT_AT ? undefined : decoder.decode(bytes.subarray(OUTPUT_AT, start));
  return { number, kind, seq: view.getUint32(SEQ_AT), endings, sse: bytes.subarray(start) };
}
