import type { ShellWord } from '../shell/script.ts';
import { findRule } from './catalogue/catalogue.ts';
import type { Fix, Rule } from './catalogue/rule.ts';
import type { CommandArgument } from './command-argument.ts';
import { commandName, literalPrefix, literalText, namesStandardInput } from './literal.ts';
import { markData, markRefused, mayBeginWithDash, type Reason, type Walk, whyDash } from './walk.ts';
import { walkGrammar } from './walk-grammar.ts';

/** Gives each word of a simple command its role. */
export function walkWords(
  words: readonly ShellWord[],
  isHostile: (word: ShellWord) => boolean,
  argument: (name: string) => CommandArgument | undefined,
): Walk {
  const walk: Walk = { words, roles: [], chain: [], readsInput: false, isHostile, argument, walkCommand };
  markData(walk, 0, 0);
  walkCommand(walk, 0);
  return walk;
}

function walkCommand(walk: Walk, at: number): void {
  const word = walk.words[at];
  if (word === undefined) return;
  const name = commandName(word);
  walk.chain.push(name);
  markData(walk, at, at + 1);
  if (walk.isHostile(word)) markRefused(walk, whyCommand, at, at + 1);
  else if (name === undefined) markRefused(walk, whyUnknownCommand, at + 1);
  else walkNamedCommand(walk, name, at);
}

function walkNamedCommand(walk: Walk, name: string, at: number): void {
  const rule = findRule(name);
  const hidden = rule === undefined ? hiddenInterpreter(walk, at) : undefined;
  if (rule !== undefined) applyRule(walk, rule, at);
  else if (hidden !== undefined) walkCommand(walk, hidden);
}

/** `sh -c` among the words of a command that is not in the catalogue: most likely one more wrapper. */
function hiddenInterpreter(walk: Walk, at: number): number | undefined {
  const index = walk.words.findIndex((word, i) => {
    const rule = i > at && literalText(word) !== undefined ? findRule(commandName(word) ?? '') : undefined;
    const option = literalText(walk.words[i + 1]);
    if (rule?.kind !== 'grammar' || rule.rest !== 'program' || option === undefined) return false;
    return rule.program.has(option) || (rule.plus && /^-[a-z]*c$/.test(option));
  });
  return index === -1 ? undefined : index;
}

/** Applies a rule to the words after the one at `at`, the command or subcommand that has this rule. */
export function applyRule(walk: Walk, rule: Rule, at: number): void {
  const behind = walk.words.slice(at + 1);
  if (rule.kind !== 'options' && takesItsInputAsFile(behind)) walk.readsInput = true;
  if (rule.kind === 'grammar' && rule.readsInput === 'named' && namesRunner(behind)) walk.readsInput = true;
  if (rule.kind === 'special') rule.walk(walk, at);
  else if (rule.kind === 'grammar') walkGrammar(walk, rule, at, applyRule);
  else {
    walk.readsInput ||= rule.readsInput;
    if (rule.kind === 'options') refuseOptionValues(walk, rule, at);
    else markRefused(walk, whyCode(shownCommand(walk), rule.fix), at + 1);
  }
}

/** `-f -`, `--file=/dev/stdin`: what comes on standard input is the program's, script's or manifest's text. */
function takesItsInputAsFile(words: readonly ShellWord[]): boolean {
  return words.some((word, index) => {
    const option = /^(?:-\w*f|--[\w-]*file)(?:=?(.+))?$/s.exec(literalText(word) ?? '');
    return option !== null && namesStandardInput(option[1] ?? literalText(words[index + 1]));
  });
}

/** `ssh HOST sh`: among words that another shell parses, a command of the catalogue may run what the pipe brings. */
function namesRunner(words: readonly ShellWord[]): boolean {
  const names = words.flatMap((word) => literalPrefix(word).split(/[\s;&|()/]+/));
  return names.some((name) => findRule(name.toLowerCase()) !== undefined);
}

function refuseOptionValues(walk: Walk, rule: Rule & { kind: 'options' }, at: number): void {
  const reason = whyCode(shownCommand(walk), rule.fix);
  const bundle = rule.bundles ? literalText(walk.words[at + 1]) : undefined;
  if (bundle !== undefined && namesOption(`-${bundle}`, rule.code)) markRefused(walk, reason, at + 2);
  for (let i = at + 1; i < walk.words.length; i++) {
    const word = walk.words[i];
    if (word === undefined || literalText(word) === '--') return;
    const prefix = literalPrefix(word);
    if (mayBeginWithDash(walk, word)) markRefused(walk, whyDash, i, i + 1);
    if (!namesOption(prefix, rule.code)) continue;
    const isWhole = literalText(word) !== undefined;
    markRefused(walk, reason, i, isWhole && !prefix.includes('=') ? i + 2 : i + 1);
  }
}

/**
 * Whether a word that begins so can be one of the options: long ones may be shortened (`--to-com=`), short ones stand
 * together (`-xI`).
 */
function namesOption(prefix: string, names: ReadonlySet<string>): boolean {
  if (!prefix.startsWith('-') || prefix === '-') return false;
  const name = prefix.split('=', 1)[0] ?? prefix;
  return [...names].some((option) => {
    if (name === option) return true;
    if (name.startsWith('--')) return option.startsWith(name);
    return /^-[^-]$/.test(option) && name.slice(1).includes(option.charAt(1));
  });
}

function shownCommand(walk: Walk): string {
  return walk.chain.at(-1) ?? 'this command';
}

function whyCode(command: string, fix: Fix): Reason {
  return (use) =>
    `${command} reads this as code, so the value of ${use.shown} would run: ${fix(use.variable)}`;
}

const whyCommand: Reason = (use) =>
  `${use.shown} stands where the name of a command stands, so its value would choose what runs: ` +
  'write the name of the command and pass the value as an argument after --';

const whyUnknownCommand: Reason = (use) =>
  `which command gets ${use.shown} is known only when it runs: write the name of the command`;
