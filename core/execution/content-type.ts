import type { Argument } from '../endpoint/definition.ts';

/** The type of a file is decided by this many bytes at its beginning. */
export const SAMPLE_BYTES = 64 * 1024;

/** The type of a file by its content. Nothing is unpacked or run. */
export interface ContentType {
  /** A media type without parameters. */
  readonly type: string;
  /** The sample is UTF-8 without NUL. */
  readonly isText: boolean;
  /** The usual ending of a name, from the signature; undefined: the content has none. */
  readonly ending: string | undefined;
}

/**
 * The type of a file by the signature in its first bytes. Without a signature it is `text/plain` or `application/octet-stream`,
 * because the content of a text does not show its kind.
 */
export async function contentType(sample: Uint8Array): Promise<ContentType> {
  const isText = isTextual(sample);
  const { fileTypeFromBuffer } = await import('file-type');
  // A damaged file has no type.
  const found = await fileTypeFromBuffer(sample).catch(() => undefined);
  const type = found?.mime ?? (isText ? 'text/plain' : 'application/octet-stream');
  return { type, isText, ending: found?.ext };
}

/** The types of text. A text counts as each of them, because its content does not show which it is. */
const TEXT_TYPE =
  /^(?:text\/.+|application\/(?:json|xml|yaml|toml|sql|x-ndjson|.+\+(?:json|xml))|image\/svg\+xml)$/;

export function isAcceptedType(
  { type, isText }: Omit<ContentType, 'ending'>,
  { accept }: Pick<Argument, 'accept'>,
): boolean {
  if (accept === undefined) return true;
  return accept.some((one) => one === type || isOfKind(type, one) || (isText && TEXT_TYPE.test(one)));
}

function isOfKind(type: string, accepted: string): boolean {
  return accepted.endsWith('/*') && type.startsWith(accepted.slice(0, -1));
}

function isTextual(sample: Uint8Array): boolean {
  if (sample.includes(0)) return false;
  try {
    // The sample may end within a character.
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: true });
    return true;
  } catch {
    return false;
  }
}
