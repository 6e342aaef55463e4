import type { ShellWord } from '../shell/script.ts';

/** The whole text of a word, or undefined when a value or an expansion is part of it. */
export function literalText(word: ShellWord | undefined): string | undefined {
  if (word === undefined || word.parts.some((part) => part.kind !== 'text')) return undefined;
  return literalPrefix(word);
}

export function endsOptions(word: ShellWord): boolean {
  return literalText(word) === '--';
}

/** The fixed text that a word begins with. */
export function literalPrefix(word: ShellWord): string {
  const first = word.parts.findIndex((part) => part.kind !== 'text');
  const texts = first === -1 ? word.parts : word.parts.slice(0, first);
  return texts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
}

/**
 * The name of the program that a word starts: `/usr/bin/python3.11` is `python`. Undefined when only the run decides it.
 * In lower case, because macOS finds `/bin/SH` too.
 */
export function programName(word: ShellWord): string | undefined {
  const last = word.parts.at(-1);
  if (word.canMultiply || last?.kind !== 'text') return undefined;
  if (!last.text.includes('/') && word.parts.length > 1) return undefined;
  return baseName(last.text).toLowerCase();
}

/** The name in a text that begins with `NAME=`. */
export function variableSetBy(text: string): string | undefined {
  return /^([A-Za-z_][A-Za-z0-9_]*)=/.exec(text)?.[1];
}

/** Folders whose programs come with the system or with packages. Programs in other folders are the owner's own. */
const SYSTEM_FOLDERS =
  /^\/(?:bin|sbin|usr|lib|lib32|lib64|etc|snap|nix|gnu|opt\/homebrew|opt\/local|proc|dev|system|library|applications)\//i;
const PACKAGE_FOLDERS =
  /(?:^|\/)(?:\.(?:venv|local|cargo|pyenv|rbenv|nvm|asdf|bun|deno|tox|nix-profile)|node_modules|v?env|virtualenv|vendor|shims|site-packages|linuxbrew)\//i;
/**
 * Programs of other people that lie in the folders of projects (`gradlew`, `manage.py`), and package managers. Their words choose what is
 * built, installed or run.
 */
const CARRIED =
  /^(?:configure|gradlew?|mvnw?|ant|sbt|bazel(?:isk)?|pip[0-9.]*|pipx|poetry|uv|conda|npm(?:-cli)?|pnpm|yarn|gem|bundle|rake|rails|manage|setup|artisan|composer|cargo|go|brew|wp)(?:\.\w+)?$/i;

/** Whether a word starts a program of the endpoint's owner: a relative path, or one outside the system's folders. */
export function isOwnProgram(word: ShellWord | undefined): boolean {
  const path = literalText(word)?.replaceAll(/\/(?:\.?\/)+/g, '/');
  if (path === undefined || !path.includes('/') || path.includes('..')) return false;
  return !SYSTEM_FOLDERS.test(path) && !PACKAGE_FOLDERS.test(path) && !CARRIED.test(baseName(path));
}

/** Whether a word behind an interpreter names a script of the owner. `bun add` and `node inspect` name none. */
export function isOwnScript(word: ShellWord | undefined): boolean {
  const path = literalText(word) ?? '-';
  if (path.startsWith('-')) return false;
  return path.includes('/') ? isOwnProgram(word) : /\.\w+$/.test(path) && !CARRIED.test(path);
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
