/** A position in a journal: the number of a line, and the checksum of all lines up to it. */
export interface LineMark {
  readonly seq: number;
  readonly sum: number;
}

export const BEFORE_ALL: LineMark = { seq: 0, sum: 0 };

const LINE = /^([0-9a-f]{8}) ([1-9][0-9]{0,15}) (.*)$/s;

/**
 * Formats one line: a checksum, a number, JSON. The checksum also covers the lines before it, so an exchanged or missing
 * line shows at the next one.
 */
export function formLine(before: LineMark, json: string): { readonly text: string; readonly mark: LineMark } {
  const seq = before.seq + 1;
  const body = `${seq} ${json}`;
  const sum = Bun.hash.crc32(body, before.sum);
  return { text: `${hex(sum)} ${body}\n`, mark: { seq, sum } };
}

/** The first line of a file. Numbers continue from the file before; the checksum restarts. */
export function formFirstLine(seq: number, json: string): { readonly text: string; readonly mark: LineMark } {
  return formLine({ seq: seq - 1, sum: 0 }, json);
}

/** Parses a line; undefined if it is damaged. `before` undefined: the first line of its file. */
export function parseJournalLine(
  line: string,
  before: LineMark | undefined,
): { readonly value: unknown; readonly mark: LineMark } | undefined {
  const [, sumText = '', seqText = '', json = ''] = LINE.exec(line) ?? [];
  const seq = Number(seqText);
  const sum = Bun.hash.crc32(`${seqText} ${json}`, before?.sum ?? 0);
  if (seqText === '' || hex(sum) !== sumText) return undefined;
  if (before !== undefined && seq !== before.seq + 1) return undefined;
  try {
    return { value: JSON.parse(json), mark: { seq, sum } };
  } catch {
    return undefined;
  }
}

/** Whether a line is valid by itself: its form, and a number that does not decrease. Its checksum needs the lines before it. */
export function looksWhole(line: string): boolean {
  return LINE.test(line);
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, '0');
}
