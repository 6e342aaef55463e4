import type { Path } from '../finding.ts';

/** The text of a scalar exactly as its author wrote it, where that is known: `1.10` for a number that is 1.1. */
export type TextAt = (path: Path) => string | undefined;

/** Text from a scalar that may look like a number or a boolean; where nobody knows how it was written, its JSON text (decision 9). */
export function writtenText(value: string | number | boolean, path: Path, textAt: TextAt): string {
  return typeof value === 'string' ? value : (textAt(path) ?? String(value));
}
