import { spansOf } from './span.ts';

/** A number with its unit, a time, a path, or a record of `:`: what lines of data hold and no tool names a column. */
const VALUE =
  /^(?:[-+]?\d+(?:[.,:]\d+)*(?:%|[KMGTP]i?B?|[kMGT]?B)?|\d{4}-\d\d-\d\d\S*|\/\S*|[^:\s]*:[^:\s]*:\S*:\S*)$/;

const WAYS_OUT = '"header: false" or "columns" reads a text without names, "skip" leaves lines out';

/**
 * Why the first line of a table cannot be taken for its names, as a clause; undefined where it can.
 *
 * `rows` are the lines after it, `isFirst` is false for a table that follows another one after a blank line.
 */
export function headerProblem(header: string, rows: readonly string[], isFirst: boolean): string | undefined {
  const names = wordsOf(header);
  const value = names.find((name) => VALUE.test(name));
  if (value !== undefined)
    return `"${value}" reads like a value, and the names of columns are expected; ${WAYS_OUT}`;
  if (isTitle(header, rows))
    return `it reads like a title, and the names of columns come after it; ${WAYS_OUT}`;
  // kubectl prints several tables, with names in capitals; other programs end a table with a legend or a sum.
  if (!isFirst && /\p{Ll}/u.test(header))
    return `after the blank line comes no table; "until: ''" ends reading there`;
  return undefined;
}

/** A line of fewer words than the next one, which is laid out in columns and has no digit: `Active Internet connections`. */
function isTitle(header: string, [next = '', ...rows]: readonly string[]): boolean {
  if (rows.length === 0 || /\d/.test(next) || / {2}/.test(header.trim())) return false;
  return / {2}/.test(next.trim()) && wordsOf(next).length > wordsOf(header).length;
}

function wordsOf(line: string): string[] {
  return spansOf(line, /\S+/g).map(({ text }) => text);
}
