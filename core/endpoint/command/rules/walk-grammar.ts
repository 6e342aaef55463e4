import type { ShellWord } from '../shell/script.ts';
import type { Grammar, Rule, Subcommands } from './catalogue/rule.ts';
import { literalPrefix, literalText, namesStandardInput, variableSetBy } from './literal.ts';
import { type ReadOption, readOption } from './read-option.ts';
import { markAssignment } from './set-variable.ts';
import {
  markData,
  markRefused,
  markSlot,
  mayBeginWithDash,
  type Reason,
  type Walk,
  whyDash,
} from './walk.ts';

type ApplyRule = (walk: Walk, rule: Rule, at: number) => void;

/** One command's words while its grammar is followed. */
interface Progress {
  readonly walk: Walk;
  readonly grammar: Grammar;
  /** The index of the word that has this grammar. */
  readonly owner: number;
  /** The index of the next word. */
  at: number;
  operandsLeft: number;
  optionsAreOver: boolean;
  hasProgram: boolean;
  isUncertain: boolean;
}

/** Gives roles to the words after the one at `owner`, as the grammar reads them. */
export function walkGrammar(walk: Walk, grammar: Grammar, owner: number, applyRule: ApplyRule): void {
  const progress: Progress = {
    walk,
    grammar,
    owner,
    at: owner + 1,
    operandsLeft: grammar.operands,
    optionsAreOver: false,
    hasProgram: false,
    isUncertain: false,
  };
  while (takeWord(progress));
  if (!progress.isUncertain) finish(progress, applyRule);
}

/** Takes the next word if it belongs before what the grammar's `rest` is about. */
function takeWord(progress: Progress): boolean {
  const { walk, grammar } = progress;
  const word = walk.words[progress.at];
  if (word === undefined) return false;
  if (isOver(progress)) return false;
  if (word.canMultiply) return becomeUncertain(progress);
  if (!progress.optionsAreOver && looksLikeOption(word, grammar)) return takeOption(progress, word);
  if (grammar.assigns && takeAssignment(progress, word)) return true;
  if (progress.operandsLeft === 0) return false;
  takeOperand(progress, word);
  return true;
}

/** Only arguments follow: neither an option nor a command that another word could hide. */
function isOver({ grammar, operandsLeft, optionsAreOver }: Progress): boolean {
  return grammar.rest === 'arguments' && optionsAreOver && operandsLeft === 0;
}

function looksLikeOption(word: ShellWord, grammar: Grammar): boolean {
  const prefix = literalPrefix(word);
  if (prefix === '-' && literalText(word) === '-') return grammar.dashEnds || grammar.flags.has('-');
  return prefix.startsWith('-') || (grammar.plus && prefix.startsWith('+'));
}

function takeOperand(progress: Progress, word: ShellWord): void {
  const { walk, grammar, owner, at } = progress;
  if (grammar.operandsAreNamed && literalPrefix(word) === '') markRefused(walk, whyNamed, at, at + 1);
  else markSlot(walk, owner, at);
  progress.at += 1;
  progress.operandsLeft -= 1;
  if (!grammar.permutes) progress.optionsAreOver = true;
}

function takeAssignment(progress: Progress, word: ShellWord): boolean {
  const name = variableSetBy(literalPrefix(word));
  if (name === undefined) return false;
  markAssignment(progress.walk, name, progress.at, progress.owner);
  progress.at += 1;
  return true;
}

/** Takes an option with its values; an unknown one makes the rest uncertain. */
function takeOption(progress: Progress, word: ShellWord): boolean {
  const text = literalText(word);
  if (text === '--' || (text === '-' && progress.grammar.dashEnds)) {
    progress.optionsAreOver = true;
    progress.at += 1;
    return true;
  }
  const option = readOption(word, progress.grammar);
  if (option === undefined) return becomeUncertain(progress);
  return markOption(progress, option);
}

function markOption(progress: Progress, { takes, attached }: ReadOption): boolean {
  const { walk, owner, at } = progress;
  const values = takes === 'flags' ? 0 : takes === 'pairs' ? 2 : 1;
  const first = attached === undefined ? at + 1 : at;
  const end = attached === undefined ? first + values : at + 1;
  if (walk.words.slice(first, end).some((word) => word.canMultiply)) return becomeUncertain(progress);
  progress.at = end;
  if (takes === 'program') progress.hasProgram = true;
  if (takes === 'code' || takes === 'program') markRefused(walk, whyProgram(progress), first, end);
  else if (takes === 'sets') markSetting(progress, first, attached);
  else for (let i = first; i < end; i++) markSlot(walk, owner, i, true);
  return true;
}

function markSetting(progress: Progress, at: number, attached: string | undefined): void {
  const { walk, owner } = progress;
  const word = walk.words[at];
  const text = attached ?? (word === undefined ? '' : literalPrefix(word));
  const name = variableSetBy(text);
  if (name === undefined) markRefused(walk, whyProgram(progress), at, at + 1);
  else markAssignment(walk, name, at, owner);
}

function finish(progress: Progress, applyRule: ApplyRule): void {
  const { walk, grammar, at } = progress;
  const { rest } = grammar;
  const isMissing = at >= walk.words.length;
  if (!progress.hasProgram && (isMissing || grammar.readsInput === 'always')) {
    walk.readsInput ||= grammar.readsInput !== false;
  }
  if (rest === 'command') walk.walkCommand(walk, at);
  else if (rest === 'code') markRefused(walk, whyProgram(progress), at);
  else if (rest === 'arguments') markArguments(progress);
  else if (rest === 'program') finishProgram(progress);
  else finishSubcommand(progress, rest, applyRule);
}

function finishProgram(progress: Progress): void {
  const { walk, grammar, owner, at, hasProgram } = progress;
  if (hasProgram && grammar.argumentsAreCode) markRefused(walk, whyProgram(progress), at);
  else if (hasProgram) markArguments(progress);
  else {
    if (namesStandardInput(literalText(walk.words[at]))) walk.readsInput = true;
    markRefused(walk, whyProgram(progress), at, at + 1);
    markData(walk, grammar.forwards ? handedOnFrom(walk, at) : owner, at + 1);
  }
}

/** Words among which the command still looks for options, some of which run what they are given. */
function markArguments({ walk, grammar, owner, at, optionsAreOver }: Progress): void {
  markData(walk, grammar.forwards ? handedOnFrom(walk, at) : owner, at);
  if (optionsAreOver) return;
  for (let i = at; i < walk.words.length; i++) {
    const word = walk.words[i];
    if (word === undefined || literalText(word) === '--') return;
    if (mayBeginWithDash(walk, word)) markRefused(walk, whyDash, i, i + 1);
  }
}

/** A `--` that is taken away on the way protects nothing behind it: only the next one does. */
function handedOnFrom(walk: Walk, at: number): number {
  const dashes = walk.words.findIndex((word, index) => index > at && literalText(word) === '--');
  return dashes === -1 ? at : dashes;
}

function finishSubcommand(progress: Progress, { named, otherwise }: Subcommands, applyRule: ApplyRule): void {
  const { walk, at } = progress;
  const word = walk.words[at];
  if (word === undefined) return;
  const name = literalText(word);
  if (name === undefined) markRefused(walk, whyProgram(progress), at);
  else applyRule(walk, named.get(name) ?? otherwise, at);
}

function becomeUncertain(progress: Progress): false {
  const { walk, grammar, at } = progress;
  progress.isUncertain = true;
  walk.readsInput ||= grammar.readsInput !== false;
  markRefused(walk, whyUncertain(progress, walk.words[at]), at);
  return false;
}

function whyProgram({ walk, grammar }: Progress): Reason {
  const command = walk.chain.at(-1) ?? 'this command';
  return (use) =>
    `${command} takes this for what it runs, so ${use.shown} would choose it: ${grammar.fix(use.variable)}`;
}

function whyUncertain({ walk, grammar }: Progress, word: ShellWord | undefined): Reason {
  const command = walk.chain.at(-1) ?? 'this command';
  const option = word === undefined || word.canMultiply ? '' : literalPrefix(word);
  const place = option === '' ? 'behind a word that can become several' : `behind the option ${option}`;
  return (use) =>
    `it is not certain that ${use.shown} is only data to ${command} ${place}: leave that out, or ${grammar.fix(use.variable)}`;
}

const whyNamed: Reason = (use) =>
  `${use.shown} would choose which image runs: write the image's name, as in app:${use.shown}`;
