import { diffLines } from 'diff';

/** A line of two texts beside each other: in both, only in the earlier, or only in the later one. */
export interface DiffLine {
  readonly kind: 'same' | 'before' | 'after';
  readonly text: string;
}

/** The lines of two texts, in the order in which they are read; undefined: the text does not exist. */
export function lineDiff(before: string | undefined, after: string | undefined): DiffLine[] {
  if (before === undefined || after === undefined) {
    const kind = before === undefined ? 'after' : 'before';
    return linesOf(before ?? after ?? '').map((text) => ({ kind, text }));
  }
  // A missing line break at the end is no difference of the last line.
  return diffLines(`${before}\n`, `${after}\n`).flatMap(({ added, removed, value }) =>
    linesOf(value.slice(0, -1)).map((text) => ({
      kind: added ? 'after' : removed ? 'before' : 'same',
      text,
    })),
  );
}

function linesOf(text: string): string[] {
  return text.split('\n');
}
