import type { ShellWord } from '../shell/script.ts';
import type { Uncertainty } from './operands.ts';
import { literalPrefix, literalText } from './words.ts';

/** Options of the programs below that take no value. Any other option could take the word behind it. */
const FLAGS: Readonly<Record<string, RegExp>> = {
  logger: /^-[eis]+$/,
  grep: /^-[abcEFGHhiIlLnoPqrRsTUvwxyzZ]+$/,
  jq: /^-[acCeMnrRsSj]+$|^--(?:null-input|raw-output|raw-input|compact-output|exit-status|slurp|tab)$/,
  git: /^-[aqsvn]+$|^--(?:amend|all|quiet|signoff|no-verify|no-edit|allow-empty)$/,
  curl: /^-[sSfLkivgGN]+$|^--(?:silent|show-error|fail|fail-with-body|location|insecure|include|verbose|get|compressed)$/,
};

/** A format that only prints. `%n` of bash and zsh sets a variable, and `%d` is arithmetic to some shells. */
const PRINTS = /^(?!-)(?:[^%]|%%|%-?[0-9]*(?:\.[0-9]+)?[sbq])*$/;

/**
 * Whether a program is known to take the word at `at` as data, so that it may be any text (decision 57).
 * A program that is missing here gets plain words.
 */
export function takesAsData(
  program: string,
  words: readonly ShellWord[],
  start: number,
  at: number,
  uncertainty: Uncertainty,
): boolean {
  const text = (back: number) => literalText(words[at - back]) ?? '';
  const tool = /^[ef]grep$/.test(program) ? 'grep' : program;
  const isFlag = (word: ShellWord | undefined) => FLAGS[tool]?.test(literalText(word) ?? '') === true;
  /** Whether the word so far back cannot take the next one as its value. */
  const isSettled = (back: number) => {
    const word = words[at - back];
    if (word === undefined || at - back <= start || isFlag(word)) return true;
    const isOpen = word.canMultiply || uncertainty(word) !== undefined;
    return !isOpen && !literalPrefix(word).startsWith('-');
  };
  const isOption = !words.slice(start, at).some((word) => literalText(word) === '--');
  switch (tool) {
    case 'echo':
    case 'printenv':
    case 'true':
    case ':':
      return true;
    case 'printf': {
      const format = literalText(words[start + 1]) === '--' ? start + 2 : start + 1;
      return at > format && PRINTS.test(literalText(words[format]) ?? '%');
    }
    case 'logger':
      return text(1) === '--' ? isSettled(2) : isSettled(1) && uncertainty(words[at] as ShellWord) !== 'dash';
    case 'grep':
      return text(1) === '-e'
        ? isOption && isSettled(2)
        : text(1) === '--' && words.slice(start + 1, at - 1).every(isFlag);
    case 'jq': {
      const isName = text(1) !== '' && !/^--(?:arg|argjson|rawfile|slurpfile)$/.test(text(4));
      return text(2) === '--arg' && isName && isOption && isSettled(3);
    }
    case 'git':
      return text(1) === '-m' && literalText(words[start + 1]) === 'commit' && isOption && isSettled(2);
    case 'curl':
      return isLiteralBody(text(1), words[at]) && isOption && isSettled(2);
    default:
      return false;
  }
}

/** curl opens a file for `@name` in `--data`, but not in these forms. */
function isLiteralBody(option: string, word: ShellWord | undefined): boolean {
  if (option === '--data-raw' || option === '--form-string') return true;
  return option === '--data-urlencode' && word !== undefined && /^[^@=]+=/.test(literalPrefix(word));
}

/** Programs that take their standard input as data and run nothing of it. */
const INPUT_IS_DATA: ReadonlySet<string> = new Set(
  (
    'cat wc head tail sort uniq tr cut nl rev tac fold fmt paste column base64 base32 md5sum sha1sum sha256sum sha512sum ' +
    'cksum xxd od hexdump gzip gunzip bzip2 xz zstd grep egrep fgrep jq awk gawk mawk sed true : logger'
  ).split(' '),
);
/** What an awk program needs to run something or to open a file. */
const AWK_ACTS = /system|getline|[|>@]|ARG/;
/** A sed program of one command that neither runs (`e`) nor opens a file (`r`, `w`). */
const SED_EDITS =
  /^(?:\d+|\$|\/[^/\\;]*\/)?(?:,(?:\d+|\$))?[dp]$|^s([/|#,:@])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1[gpiI0-9]*$/;

/** `words` are those behind the program. Some programs read names of files from their input when an option says so. */
export function takesInputAsData(program: string, words: readonly ShellWord[]): boolean {
  if (!INPUT_IS_DATA.has(program)) return false;
  const texts = words.map(literalText);
  if (texts.some((text) => text?.startsWith('--f'))) return false;
  if (program.endsWith('sum')) return !texts.some((text) => /^-\w*c|^--c/.test(text ?? ''));
  if (program.endsWith('awk')) return texts.every((text) => text !== undefined && !AWK_ACTS.test(text));
  return program !== 'sed' || texts.every((text = '') => /^-[nErsuze]+$/.test(text) || SED_EDITS.test(text));
}
