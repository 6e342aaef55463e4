import { splitLines } from './split-lines.ts';
import { unquoted } from './unquoted.ts';
import { Unreadable } from './unreadable.ts';

type Section = Map<string, (string | null)[]>;

/**
 * Sections and keys as in `/etc/systemd/*.conf`, `my.cnf`, `.gitconfig` and `.npmrc`: an object per section, keys before the
 * first section beside them.
 *
 * A key without `=` is null, a key that stands twice gives an array, a section that stands twice continues. `#` and `;` begin
 * comments, at the start of a line only: values may contain both.
 */
export function parseIni(text: string): string {
  const top: Section = new Map();
  const sections = new Map<string, Section>();
  let section = top;
  for (const [index, raw] of splitLines(text).entries()) {
    const line = raw.trim();
    if (line === '' || /^[#;]/.test(line)) continue;
    const name = /^\[(.+)\]$/.exec(line)?.[1]?.trim();
    if (name !== undefined) {
      section = sections.get(name) ?? new Map();
      sections.set(name, section);
      continue;
    }
    const [, key = '', value] = /^([^=[\]]+?)\s*(?:=\s*(.*))?$/.exec(line) ?? [];
    if (key === '') throw new Unreadable(`line ${index + 1}: "[section]" or "key = value" expected`);
    section.set(key, [...(section.get(key) ?? []), value === undefined ? null : unquoted(value)]);
  }
  const twice = [...top.keys()].find((key) => sections.has(key));
  if (twice !== undefined) throw new Unreadable(`"${twice}" is both a key and a section`);
  const members = [...sections].map(([name, keys]) => `${JSON.stringify(name)}:{${sectionText(keys)}}`);
  return `{${[...(top.size > 0 ? [sectionText(top)] : []), ...members].join(',')}}`;
}

function sectionText(section: Section): string {
  const members = [...section].map(
    ([key, values]) => `${JSON.stringify(key)}:${JSON.stringify(values.length === 1 ? values[0] : values)}`,
  );
  return members.join(',');
}
