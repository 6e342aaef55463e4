import { suggest } from '../suggest.ts';
import type { CommandProblem } from './program.ts';

const MUSTACHE = /\{\{[ \t]*([A-Za-z_][A-Za-z0-9_-]*)[ \t]*\}\}/g;
const SECRET = /\$svc:(?![A-Za-z_])/g;

/** Text that looks like a misspelt placeholder. Nothing is refused for it, because other programs use braces too. */
export function typoNotes(text: string, args: readonly { readonly name: string }[]): CommandProblem[] {
  const declared = args.map(({ name }) => name);
  const notes: CommandProblem[] = [];
  for (const match of text.matchAll(MUSTACHE)) {
    const name = match[1] ?? '';
    const meant = declared.includes(name) ? name : suggest(name, declared);
    if (meant === undefined || match[0] === `{{${meant}}}`) continue;
    const message = `${match[0]} is text here, not an argument; did you mean {{${meant}}}?`;
    notes.push({ offset: match.index, length: match[0].length, message });
  }
  for (const match of text.matchAll(SECRET)) {
    const message = '$svc: is followed by no name: $svc:NAME stands for the secret called NAME';
    notes.push({ offset: match.index, length: match[0].length, message });
  }
  return notes.sort((a, b) => a.offset - b.offset);
}
