import type { Argument } from '@svc/core/endpoint/definition';

/** How much of a file tells its type. */
export const SAMPLE_BYTES = 64 * 1024;

/** What the content of a file says; nothing of it is unpacked or run. */
export interface ContentType {
  /** A media type without parameters. */
  readonly type: string;
  /** The sample is UTF-8 without NUL. */
  readonly isText: boolean;
  /** The usual ending of a name, from the signature; undefined: the content has none. */
  readonly ending: string | undefined;
}

/**
 * The type of a file by the signature in its first bytes. Without a signature it is `text/plain` or `application/octet-stream`: the
 * kinds of text have nothing that tells them apart.
 */
export async function contentType(sample: Uint8Array): Promise<ContentType> {
  const isText = isTextual(sample);
  const { fileTypeFromBuffer } = await import('file-type');
  // A damaged file has no type.
  const found = await fileTypeFromBuffer(sample).catch(() => undefined);
  const type = found?.mime ?? (isText ? 'text/plain' : 'application/octet-stream');
  return { type, isText, ending: found?.ext };
}

/** A text has every type of text, because its content does not say which. */
const TEXT_TYPE =
  /^(?:text\/.+|application\/(?:json|xml|yaml|toml|sql|x-ndjson|.+\+(?:json|xml))|image\/svg\+xml)$/;

export function isAccepted(
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
