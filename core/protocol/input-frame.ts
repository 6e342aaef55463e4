import { LINK_LIMITS } from './limits.ts';
import { idOf } from './output-frame.ts';

/**
 * A piece of the body of a call, as a binary message of a hub.
 *
 *   u8 kind | 16 bytes execution id | u64 offset in the body | bytes
 *
 * Numbers are big-endian.
 */
export interface InputFrame {
  readonly executionId: string;
  /** The position of the first byte in the body. */
  readonly offset: number;
  readonly bytes: Uint8Array;
}

export type DecodedInput =
  | { readonly kind: 'frame'; readonly frame: InputFrame }
  | { readonly kind: 'refused'; readonly message: string };

const KIND = 3;
const OFFSET_AT = 17;
const HEADER_BYTES = 25;

/** The bytes of a frame; `executionId` is a UUID. */
export function encodeInputFrame({ executionId, offset, bytes }: InputFrame): Uint8Array<ArrayBuffer> {
  const message = new Uint8Array(HEADER_BYTES + bytes.length);
  message[0] = KIND;
  message.set(Uint8Array.fromHex(executionId.replaceAll('-', '')), 1);
  new DataView(message.buffer).setBigUint64(OFFSET_AT, BigInt(offset));
  message.set(bytes, HEADER_BYTES);
  return message;
}

/** Reads a frame. Never throws; `bytes` of the frame is a view of the message, not a copy. */
export function decodeInputFrame(message: Uint8Array): DecodedInput {
  if (message.length > LINK_LIMITS.inputFrameBytes) return refused('the frame is too long');
  if (message.length <= HEADER_BYTES) return refused(`more than ${HEADER_BYTES} bytes expected`);
  if (message[0] !== KIND) return refused(`kind: ${KIND} expected`);
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  const offset = Number(view.getBigUint64(OFFSET_AT));
  if (!Number.isSafeInteger(offset)) return refused('offset: a position in a body expected');
  const executionId = idOf(message);
  return { kind: 'frame', frame: { executionId, offset, bytes: message.subarray(HEADER_BYTES) } };
}

function refused(message: string): Extract<DecodedInput, { kind: 'refused' }> {
  return { kind: 'refused', message: `input: ${message}` };
}
