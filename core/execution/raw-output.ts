import { type OutputEvent, readEvent } from './event.ts';

const BORDER = '\n\n';
const PREFIX = 'data: '.length;
const HEAD = /^data: {"type":"output",(?:"step":"(?:[^"\\]|\\.)*",)?("encoding":"base64"|"stream":"stderr")/;
const MAX_HEAD_BYTES = 256;

/** Shown in place of output that is not a valid event: the hub does not parse what an agent sends. */
export const UNREADABLE = '[svc: output that cannot be read]';

/** A part of the output of a command whose stdout is raw (decision 68, raw output). */
export type RawPart =
  | { readonly kind: 'stdout'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'stderr'; readonly line: string }
  /** The marker for output that was not kept: bytes of stdout are missing here. */
  | { readonly kind: 'gap'; readonly line: string };

/**
 * What a piece of output holds: raw stdout, lines of a separate stderr, or any other lines. The events of one piece come
 * from one stream.
 */
export function kindOfEvents(sse: Uint8Array): 'raw' | 'stderr' | 'text' {
  const [, mark] = HEAD.exec(new TextDecoder().decode(sse.subarray(0, MAX_HEAD_BYTES))) ?? [];
  if (mark === undefined) return 'text';
  return mark.startsWith('"stream"') ? 'stderr' : 'raw';
}

/** The parts of whole `output` events, in order. */
export function rawParts(sse: Uint8Array): RawPart[] {
  const events = new TextDecoder().decode(sse).split(BORDER).slice(0, -1);
  return events.map((event) => {
    const read = readEvent(event.slice(PREFIX));
    const { data, encoding, stream } = read?.type === 'output' ? read : { data: UNREADABLE };
    if (encoding !== 'base64') return { kind: stream === 'stderr' ? 'stderr' : 'gap', line: data };
    const bytes = readBytes(data);
    return bytes === undefined ? { kind: 'gap', line: UNREADABLE } : { kind: 'stdout', bytes };
  });
}

/** The bytes of an event with `encoding: base64`. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromBase64(base64);
}

function readBytes(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return bytesOf(base64);
  } catch {
    return undefined;
  }
}

/** The text of an event for people; of bytes that are no text only their number. */
export function textOf({ data, encoding }: Pick<OutputEvent, 'data' | 'encoding'>): string {
  if (encoding === undefined) return data;
  const bytes = readBytes(data);
  if (bytes === undefined) return UNREADABLE;
  return utf8(bytes) ?? `[svc: ${bytes.length} bytes that are no text]\n`;
}

/** The lines that people see of an event: one of raw stdout can have many. */
export function linesOf(event: OutputEvent): string[] {
  if (event.encoding === undefined) return [event.data];
  return textOf(event).replace(/\n$/, '').split('\n');
}

function utf8(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
