import type { ShellWord } from '../shell/script.ts';
import type { Uncertainty } from './operands.ts';
import { endsOptions, literalPrefix, literalText } from './words.ts';

/** Programs that take every word as data. */
const TAKES_ALL = new Set(['echo', 'printenv', 'true', ':']);

/** A format that only prints. `%n` of bash and zsh sets a variable, and `%d` is arithmetic to some shells. */
const PRINTS = /^(?!-)(?:[^%]|%%|%-?[0-9]*(?:\.[0-9]+)?[sbq])*$/;

/**
 * Programs that take as data the word behind one of `options`. `flags` are options without a value. Any other option
 * could take the word behind it.
 */
const BEHIND: Readonly<Record<string, { readonly options: RegExp; readonly flags: RegExp }>> = {
  logger: { options: /^--$/, flags: /^-[eis]+$/ },
  grep: { options: /^-e$|^--$/, flags: /^-[abcEFGHhiIlLnoPqrRsTUvwxyzZ]+$/ },
  jq: {
    options: /^--arg$/,
    flags: /^-[acCeMnrRsSj]+$|^--(?:null-input|raw-output|raw-input|compact-output|exit-status|slurp|tab)$/,
  },
  git: {
    options: /^-m$/,
    flags: /^-[aqsvn]+$|^--(?:amend|all|quiet|signoff|no-verify|no-edit|allow-empty)$/,
  },
};

/**
 * Whether a program is known to take the word at `at` as data, so that it may be any text (decision 57, values by type).
 * A program that is missing here gets plain words.
 */
export function takesAsData(
  program: string,
  words: readonly ShellWord[],
  start: number,
  at: number,
  uncertainty: Uncertainty,
): boolean {
  const text = (index: number) => literalText(words[index]) ?? '';
  if (TAKES_ALL.has(program)) return true;
  if (program === 'printf') return at > start + 1 && PRINTS.test(literalText(words[start + 1]) ?? '%');
  const tool = /^[ef]grep$/.test(program) ? 'grep' : program;
  const row = BEHIND[tool];
  // `jq --arg NAME VALUE`
  const option = tool === 'jq' ? at - 2 : at - 1;
  if (option <= start || !row?.options.test(text(option))) return false;
  const before = words.slice(start + 1, option);
  const isFlag = (word: ShellWord) => row.flags.test(literalText(word) ?? '');
  const last = before.at(-1);
  const isOpen = last?.canMultiply || (last && uncertainty(last) !== undefined);
  // Else the word before the option could take the option as its value.
  const isSettled = last === undefined || isFlag(last) || (!isOpen && !literalPrefix(last).startsWith('-'));
  if (!isSettled || before.some(endsOptions)) return false;
  if (tool === 'grep') return text(option) === '-e' || before.every(isFlag);
  if (tool === 'jq')
    return text(at - 1) !== '' && !/^--(?:arg|argjson|rawfile|slurpfile)$/.test(text(at - 4));
  return tool !== 'git' || text(start + 1) === 'commit';
}

/** Programs that take their standard input as data and run nothing of it. */
const INPUT_IS_DATA: ReadonlySet<string> = new Set(
  (
    'cat wc head tail sort uniq tr cut nl rev tac fold fmt paste column base64 base32 md5sum sha1sum sha256sum sha512sum ' +
    'cksum xxd od hexdump gzip gunzip bzip2 xz zstd grep egrep fgrep jq true : logger'
  ).split(' '),
);

/** `words` are those behind the program. Some programs read names of files from their input when an option says so. */
export function takesInputAsData(program: string, words: readonly ShellWord[]): boolean {
  const namesFiles = program.endsWith('sum') ? /^-\w*c|^--[cf]/ : /^--f/;
  return INPUT_IS_DATA.has(program) && !words.some((word) => namesFiles.test(literalText(word) ?? ''));
}
