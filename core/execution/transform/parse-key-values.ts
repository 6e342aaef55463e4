import { objectWriter } from './json-writer.ts';
import { splitLines } from './split-lines.ts';
import type { Shape } from './transform.ts';
import { unquoted } from './unquoted.ts';
import { Unreadable } from './unreadable.ts';

/** `KEY=value` as `env` and os-release print it, `key: value` as `lscpu` does; a colon separates only before a space or the line's end. */
const SEPARATOR = /=|:(?=[ \t]|$)/;

/**
 * One object of all lines. Blank lines and lines that begin with `#` are skipped, any other line without a key is an error.
 *
 * A `delimiter` separates at its first place; a space stands for any white space.
 */
export function parseKeyValues(text: string, { delimiter }: Pick<Shape, 'delimiter'> = {}): string {
  const keys: string[] = [];
  const values: string[] = [];
  for (const [index, raw] of splitLines(text).entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const parts = split(line, delimiter);
    if (parts === undefined) throw new Unreadable(`line ${index + 1}: ${expected(delimiter)} expected`);
    keys.push(parts.key.replace(/^export[ \t]+/, ''));
    values.push(unquoted(parts.value));
  }
  return objectWriter(keys)(values);
}

/** Undefined for a line without a key or without a separator. */
function split(line: string, delimiter: string | undefined): { key: string; value: string } | undefined {
  if (delimiter === ' ') {
    const [, key = '', value = ''] = /^(\S+)\s*(.*)$/.exec(line) ?? [];
    return { key, value };
  }
  const at = delimiter === undefined ? line.search(SEPARATOR) : line.indexOf(delimiter);
  if (at <= 0) return undefined;
  return { key: line.slice(0, at).trimEnd(), value: line.slice(at + (delimiter?.length ?? 1)).trim() };
}

function expected(delimiter: string | undefined): string {
  return delimiter === undefined
    ? '"KEY=value" or "key: value" (or another "delimiter")'
    : `a key, ${JSON.stringify(delimiter)} and a value`;
}
