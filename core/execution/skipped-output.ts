/** The most events that one request can ask for by `last`. */
export const MAX_LAST_EVENTS = 100_000;

/** What a reader of the last events of a stream does not get: everything before the first of them. */
export interface SkippedOutput {
  readonly events: number;
  /** The lines in these events; an event of raw stdout can have many (decision 68, raw output). */
  readonly lines: number;
  /** Output that was not kept (decision 26, limits): the number of skipped lines before its marker, and what the marker says. */
  readonly cut?: { readonly afterLines: number; readonly lines: number } | undefined;
  /** Whether some of the skipped output is raw stdout. */
  readonly isRaw?: true | undefined;
}

/** The event that begins a stream of last events (decision 90, output from its end). */
export function encodeSkipped({ events, lines, cut, isRaw }: SkippedOutput): string {
  const fields = { type: 'skipped', events, lines, cut_after: cut?.afterLines, cut_lines: cut?.lines };
  return `data: ${JSON.stringify({ ...fields, encoding: isRaw && 'base64' })}\n\n`;
}

/** Reads the JSON of an event; undefined if it is another one. */
export function readSkipped(json: string): SkippedOutput | undefined {
  if (!json.startsWith('{"type":"skipped",')) return undefined;
  const { events, lines, cut_after: afterLines, cut_lines: cutLines, encoding } = JSON.parse(json);
  if (!isCount(events) || !isCount(lines)) return undefined;
  const cut = isCount(afterLines) && isCount(cutLines) ? { afterLines, lines: cutLines } : undefined;
  return { events, lines, cut, isRaw: encoding === 'base64' || undefined };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
