import type { ShellWord } from '../shell/script.ts';
import type { Grammar } from './catalogue/rule.ts';
import { literalPrefix, literalText } from './literal.ts';

const LISTS = ['flags', 'data', 'pairs', 'sets', 'code', 'program'] as const;

/** An option as its command's grammar reads it. */
export interface ReadOption {
  readonly takes: (typeof LISTS)[number];
  /** What the word says of the option's value, when the value stands in the same word. */
  readonly attached?: string;
}

/** Reads a word that looks like an option; undefined when the grammar does not know it. */
export function readOption(word: ShellWord, grammar: Grammar): ReadOption | undefined {
  const prefix = literalPrefix(word);
  const isWhole = literalText(word) !== undefined;
  const exact = isWhole ? listOf(grammar, prefix) : undefined;
  if (exact !== undefined) return { takes: exact };
  return prefix.startsWith('--') ? readLong(prefix, isWhole, grammar) : readCluster(prefix, isWhole, grammar);
}

/** `--name=value`. An unknown one takes no other word along, so it does no harm while no value is in it. */
function readLong(prefix: string, isWhole: boolean, grammar: Grammar): ReadOption | undefined {
  const equals = prefix.indexOf('=');
  if (equals === -1) return undefined;
  const takes = listOf(grammar, prefix.slice(0, equals));
  if (takes === undefined || takes === 'flags') return isWhole ? { takes: 'flags' } : undefined;
  return { takes, attached: prefix.slice(equals + 1) };
}

/** `-xvf`: flags, then perhaps one that takes the rest of the word, or the next word, as its value. */
function readCluster(prefix: string, isWhole: boolean, grammar: Grammar): ReadOption | undefined {
  for (let i = 1; i < prefix.length; i++) {
    const takes = listOf(grammar, `${prefix.charAt(0)}${prefix.charAt(i)}`);
    if (takes === undefined) return undefined;
    const attached = prefix.slice(i + 1);
    if (takes !== 'flags') return attached === '' && isWhole ? { takes } : { takes, attached };
  }
  return isWhole ? { takes: 'flags' } : undefined;
}

function listOf(grammar: Grammar, option: string): ReadOption['takes'] | undefined {
  return LISTS.find((list) => grammar[list].has(option));
}
