/** The lines of a link, from 1; `to` is inclusive. */
export interface LinkedLines {
  readonly from: number;
  readonly to: number;
}

const LINK = /^#?L(\d{1,9})(?:-L?(\d{1,9}))?$/;

/** Reads `#L12` or `#L12-L20`; undefined for anything else. */
export function readLineLink(hash: string): LinkedLines | undefined {
  const [, one, other] = LINK.exec(hash) ?? [];
  if (one === undefined) return undefined;
  const ends = [Number(one), Number(other ?? one)].map((line) => Math.max(line, 1));
  return { from: Math.min(...ends), to: Math.max(...ends) };
}

/** Without the leading `#`. */
export function lineLink({ from, to }: LinkedLines): string {
  return from === to ? `L${from}` : `L${from}-L${to}`;
}
