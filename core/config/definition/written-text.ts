import type { Path } from '../validation-issue.ts';

/** The text of a scalar exactly as the author wrote it, if that is known: `1.10` for the number 1.1. */
export type TextAt = (path: Path) => string | undefined;

/**
 * The text of a scalar that may look like a number or a boolean. If the original text is unknown, its JSON text (decision
 * 9, values of a call).
 */
export function writtenText(value: string | number | boolean, path: Path, textAt: TextAt): string {
  return typeof value === 'string' ? value : (textAt(path) ?? String(value));
}
