import type { ShellWord } from '../shell/script.ts';
import { baseName, literalText } from './words.ts';

/**
 * The name of the file that a word is, without its folders and in lower case. Empty for an option, and where only the run
 * decides it.
 */
export function fileOf(word: ShellWord | undefined): string {
  const text = (literalText(word) ?? '').replace(/^of=/, '');
  return text.startsWith('-') ? '' : baseName(text).toLowerCase();
}

/** Endings that programs leave out when they load a file: `python3 -m NAME`. */
const MODULE = /\.(?:py|js|mjs|cjs|ts|rb|pl|pm|lua|php)$/;

interface Mentions {
  /** The file that the word is. */
  readonly names: readonly string[];
  /** The parts of its text that could be names of files: `w FILE` of `sed`, `open('FILE')` of Python. */
  readonly parts: readonly string[];
  /** Those that begin with a dash. A name may stand at their end: `-oFILE`. */
  readonly dashed: readonly string[];
}

const NONE: Mentions = { names: [], parts: [], dashed: [] };

function mentionsOf(word: ShellWord | undefined): Mentions {
  const text = literalText(word)?.toLowerCase();
  if (text === undefined) return NONE;
  // The host of a URL is no file.
  const all = text.replaceAll(/\w+:\/\/[^\s/'"]*/g, ' ').split(/[\s"'`<>|&;:,=(){}[\]/\\]+/);
  const parts = all.filter((part) => /\p{L}/u.test(part));
  const names = [fileOf(word), fileOf(word).replace(MODULE, '')].filter((name) => /\p{L}/u.test(name));
  return { names, parts, dashed: parts.filter((part) => part.startsWith('-')) };
}

/** The files that the words of a script mention, and where. */
export class FileNames {
  readonly #names = new Map<string, object>();
  readonly #parts = new Map<string, object>();
  readonly #dashed = new Map<string, object>();

  /** @param owner the command or the redirect that the word belongs to */
  add(word: ShellWord | undefined, owner: object): void {
    const { names, parts, dashed } = mentionsOf(word);
    for (const name of names) note(this.#names, name, owner);
    for (const part of parts) note(this.#parts, part, owner);
    for (const part of dashed) note(this.#dashed, part, owner);
  }

  /** Whether a word outside of `owner` mentions a file that this word mentions. */
  isElsewhere(word: ShellWord | undefined, owner: object): boolean {
    const { names, parts, dashed } = mentionsOf(word);
    const isIn = (map: ReadonlyMap<string, object>, text: string) => (map.get(text) ?? owner) !== owner;
    const endsWith = (map: ReadonlyMap<string, object>, fits: (text: string) => boolean) =>
      map.entries().some(([text, where]) => where !== owner && fits(text));
    return (
      names.some((name) => isIn(this.#parts, name)) ||
      parts.some((part) => isIn(this.#names, part) || (part.includes('.') && isIn(this.#parts, part))) ||
      dashed.some((part) => endsWith(this.#names, (name) => part.endsWith(name))) ||
      names.some((name) => endsWith(this.#dashed, (part) => part.endsWith(name)))
    );
  }
}

const SEVERAL = {};

function note(map: Map<string, object>, text: string, owner: object): void {
  const known = map.get(text) ?? owner;
  map.set(text, known === owner ? owner : SEVERAL);
}
