import { objectWriter } from './json-writer.ts';
import { splitLines } from './split-lines.ts';
import { Unreadable } from './unreadable.ts';

/** `KEY=value` as `env` and os-release print it, `key: value` as `lscpu` does; a colon separates only before a space or the line's end. */
const SEPARATOR = /=|:(?=[ \t]|$)/;

/** One object of all lines. Blank lines and lines that begin with `#` are skipped, any other line without a key is an error. */
export function parseKeyValues(text: string): string {
  const keys: string[] = [];
  const values: string[] = [];
  for (const [index, raw] of splitLines(text).entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const at = line.search(SEPARATOR);
    if (at <= 0) throw new Unreadable(`line ${index + 1}: "KEY=value" or "key: value" expected`);
    keys.push(
      line
        .slice(0, at)
        .trimEnd()
        .replace(/^export[ \t]+/, ''),
    );
    values.push(unquoted(line.slice(at + 1).trim()));
  }
  return objectWriter(keys)(values);
}

/** A value that is quoted as a whole, by the rules of the shell that os-release(5) takes over. */
function unquoted(value: string): string {
  if (/^'[^']*'$/.test(value)) return value.slice(1, -1);
  if (/^"(?:[^"\\]|\\.)*"$/.test(value)) return value.slice(1, -1).replace(/\\(["\\$`])/g, '$1');
  return value;
}
