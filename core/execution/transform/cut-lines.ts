import type { Transform } from './transform.ts';

/** The text without its first `skip` lines and without what follows `until` (`Transform`). */
export function cutLines(text: string, { skip = 0, until }: Pick<Transform, 'skip' | 'until'>): string {
  let start = 0;
  for (let n = 0; n < skip && start < text.length; n++) start = endOfLine(text, start);
  if (until === undefined) return text.slice(start);
  for (let at = start; at < text.length; at = endOfLine(text, at)) {
    const line = text.slice(at, endOfLine(text, at));
    if (until === '' ? line.trim() === '' : line.startsWith(until)) return text.slice(start, at);
  }
  return text.slice(start);
}

/** The offset after the line end. */
function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}
