/** The filters in the query of the page. */
export interface TailSearch {
  /** The slug of an endpoint. */
  readonly endpoint?: string;
  /** A part of the line. */
  readonly text?: string;
  /** Only lines of stderr. */
  readonly stderr?: true;
}

/** The hub accepts no longer text. */
export const MAX_TEXT_CHARS = 200;
const MAX_SLUG_CHARS = 100;

/** Reads the filters and ignores invalid values. */
export function readTailSearch({ endpoint, text, stderr }: Readonly<Record<string, unknown>>): TailSearch {
  return {
    ...(isText(endpoint, MAX_SLUG_CHARS) && { endpoint }),
    ...(isText(text, MAX_TEXT_CHARS) && { text }),
    ...(stderr === true && { stderr }),
  };
}

function isText(value: unknown, maxChars: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxChars;
}
