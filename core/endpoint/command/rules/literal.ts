import type { ShellWord } from '../shell/script.ts';

/** The whole text of a word, or undefined when a value or an expansion is part of it. */
export function literalText(word: ShellWord | undefined): string | undefined {
  if (word === undefined || word.parts.some((part) => part.kind !== 'text')) return undefined;
  return literalPrefix(word);
}

/** The text that a word begins with, whatever comes after it. */
export function literalPrefix(word: ShellWord): string {
  let prefix = '';
  for (const part of word.parts) {
    if (part.kind !== 'text') break;
    prefix += part.text;
  }
  return prefix;
}

/** What a word says when its expansions come to nothing: `"$x"alias` is known only at run time, and may well be `alias`. */
export function barestText({ parts }: ShellWord): string {
  return parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
}

/**
 * The name of the command that a word stands for: `/usr/bin/python3` is `python3`. Undefined when that is known only at
 * run time. In lower case, because macOS finds `/bin/SH` too.
 */
export function commandName(word: ShellWord): string | undefined {
  if (word.canMultiply) return undefined;
  const last = word.parts.at(-1);
  if (last?.kind !== 'text') return undefined;
  const slash = last.text.lastIndexOf('/');
  if (slash === -1 && word.parts.length > 1) return undefined;
  return last.text.slice(slash + 1).toLowerCase();
}

/** The name in a text that begins with `NAME=`. */
export function variableSetBy(text: string): string | undefined {
  return /^([A-Za-z_][A-Za-z0-9_]*)=/.exec(text)?.[1];
}

const STANDARD_INPUT = new Set(['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']);

/** Whether a file of this name is what a pipe or a redirection feeds. */
export function namesStandardInput(name: string | undefined): boolean {
  return name !== undefined && STANDARD_INPUT.has(name);
}
