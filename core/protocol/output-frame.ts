import type { EndingRun, LineEnding } from '../execution/frame.ts';
import { LINK_LIMITS } from './limits.ts';

/**
 * One numbered piece of the output of an execution, as a binary message.
 *
 *   u8 kind | 16 bytes execution id | u32 sequence number | u32 length of the endings | endings, JSON | bytes
 *
 * Numbers are big-endian. Sequence numbers count from 1 without gaps, both kinds together.
 */
export interface OutputFrame {
  /** `output`: whole `output` events. `result`: a piece of the JSON that a transform gave. */
  readonly kind: 'output' | 'result';
  readonly executionId: string;
  readonly seq: number;
  /** Lines that did not end in a plain newline, as JSON (decision 16, the buffered answer); undefined when all did. */
  readonly endings: string | undefined;
  readonly bytes: Uint8Array;
}

export type DecodedOutput =
  | { readonly kind: 'frame'; readonly frame: OutputFrame }
  | { readonly kind: 'refused'; readonly message: string };

const KINDS = { output: 1, result: 2 } as const;
const SEQ_AT = 17;
const ENDINGS_LENGTH_AT = 21;
const HEADER_BYTES = 25;

const encoder = new TextEncoder();

/**
 * The bytes of a frame; `executionId` is a UUID.
 *
 * @param room at least this many bytes, with any content: all of it is written
 */
export function encodeOutputFrame(
  { kind, executionId, seq, endings, bytes }: OutputFrame,
  room = (length: number): Uint8Array<ArrayBuffer> => new Uint8Array(length),
): Uint8Array<ArrayBuffer> {
  const endingBytes = encoder.encode(endings ?? '');
  const message = room(HEADER_BYTES + endingBytes.length + bytes.length);
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  message[0] = KINDS[kind];
  message.set(Uint8Array.fromHex(executionId.replaceAll('-', '')), 1);
  view.setUint32(SEQ_AT, seq);
  view.setUint32(ENDINGS_LENGTH_AT, endingBytes.length);
  message.set(endingBytes, HEADER_BYTES);
  message.set(bytes, HEADER_BYTES + endingBytes.length);
  return message;
}

/**
 * Reads a frame. Never throws; `bytes` of the frame is a view of the message, not a copy.
 *
 * Checks only the borders of `output`: a parser of its events must still expect invalid ones.
 */
export function decodeOutputFrame(message: Uint8Array): DecodedOutput {
  if (message.length > LINK_LIMITS.outputFrameBytes) return refused('the frame is too long');
  if (message.length <= HEADER_BYTES) return refused(`more than ${HEADER_BYTES} bytes expected`);
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  const kind = kindOf(message[0]);
  const seq = view.getUint32(SEQ_AT);
  const start = HEADER_BYTES + view.getUint32(ENDINGS_LENGTH_AT);
  if (kind === undefined) return refused('kind: 1 or 2 expected');
  if (seq === 0) return refused('seq: 1 or more expected');
  if (start >= message.length) return refused('endings: fewer bytes than the message has expected');
  const endings = readEndings(message.subarray(HEADER_BYTES, start));
  const bytes = message.subarray(start);
  if (endings === undefined) return refused('endings: a list of [first, count, ending] expected');
  // The limits of stored output do not count the endings. Those of a line are always shorter than its event.
  if (kind === 'output' && start - HEADER_BYTES > bytes.length)
    return refused('endings: no more bytes than the events have expected');
  if (kind === 'output' && !isWholeEvents(bytes)) return refused('bytes: whole output events expected');
  return { kind: 'frame', frame: { kind, executionId: idOf(message), seq, endings: endings.text, bytes } };
}

/** The sequence number of an encoded frame. */
export function sequenceOf(message: Uint8Array): number {
  return new DataView(message.buffer, message.byteOffset, message.byteLength).getUint32(SEQ_AT);
}

function refused(message: string): Extract<DecodedOutput, { kind: 'refused' }> {
  return { kind: 'refused', message: `output.${message}` };
}

function kindOf(byte: number | undefined): OutputFrame['kind'] | undefined {
  if (byte === KINDS.output) return 'output';
  return byte === KINDS.result ? 'result' : undefined;
}

/** The execution of an encoded frame: its id follows the kind in every binary message. */
export function idOf(message: Uint8Array): string {
  const hex = message.subarray(1, SEQ_AT).toHex();
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Undefined if `rebuildOutput` cannot use them. */
function readEndings(bytes: Uint8Array): { readonly text: string | undefined } | undefined {
  if (bytes.length === 0) return { text: undefined };
  const text = new TextDecoder().decode(bytes);
  try {
    return areRuns(JSON.parse(text)) ? { text } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the runs are in order and do not overlap. */
function areRuns(runs: unknown): runs is readonly EndingRun[] {
  if (!Array.isArray(runs)) return false;
  let next = 0;
  return runs.every((run) => {
    if (!Array.isArray(run) || run.length !== 3) return false;
    const [first, count, ending] = run as unknown[];
    if (!isCount(first) || first < next || !isCount(count) || count === 0 || !isEnding(ending)) return false;
    next = first + count;
    return next <= LINK_LIMITS.outputFrameBytes;
  });
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}

function isEnding(value: unknown): value is LineEnding {
  return value === 'crlf' || value === 'none' || value === 'cut';
}

const EVENT_START = encoder.encode('data: {"type":"output",');
const EVENT_END = encoder.encode('"}\n\n');

function isWholeEvents(bytes: Uint8Array): boolean {
  return (
    bytes.length >= EVENT_START.length + EVENT_END.length &&
    EVENT_START.every((byte, at) => bytes[at] === byte) &&
    EVENT_END.every((byte, at) => bytes[bytes.length - EVENT_END.length + at] === byte)
  );
}
