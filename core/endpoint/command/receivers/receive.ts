import { isLocalName, isSettable } from '../../environment.ts';
import { canBeAbsent } from '../../value/resolve-values.ts';
import type { CommandArgument } from '../command-argument.ts';
import { isWithin, type Script, type ShellWord, type Span } from '../shell/script.ts';
import type { TravelPlace } from '../travel.ts';
import { inputPlace } from './input-place.ts';
import { LEVELS, type Level } from './level.ts';
import type { Uncertainty } from './operands.ts';
import { openPlace, type Place, placeOf } from './place.ts';
import { fileRuns } from './run-file.ts';
import { findUses, type Use } from './uses.ts';
import { literalText } from './words.ts';

/** One use with one of the places that receive it. */
export interface Received {
  readonly use: Use;
  readonly place: Place;
  readonly travel: TravelPlace;
}

/** Everything that receives a value in a script, and the words that a `--` of their program protects from dashes. */
export interface Receivers {
  readonly received: readonly Received[];
  readonly uses: readonly Use[];
  readonly isAfterDashes: (word: ShellWord) => boolean;
}

/** Finds what receives each value of a script (decision 57). */
export function findReceivers(script: Script, text: string, args: readonly CommandArgument[]): Receivers {
  const uses = findUses(script, text, args);
  const uncertainty = uncertaintyOf(args);
  const protectedWords = new Set<ShellWord>();
  const inWords = script.commands.flatMap(({ words }) =>
    words.flatMap((word, at): Received[] => {
      const within = uses.filter((use) => isWithin(use, word));
      if (within.length === 0) return [];
      const place = placeOf(words, 0, at, uncertainty);
      if (words.slice(place.owner + 1, at).some((each) => literalText(each) === '--'))
        protectedWords.add(word);
      return within.map((use) => ({
        use,
        place: narrowed(place, word, use),
        travel: { kind: 'argument', position: at, program: place.program },
      }));
    }),
  );
  return {
    uses,
    received: [
      ...inWords,
      ...inSettings(script, uses),
      ...inRedirects(script, uses),
      ...inInputs(script, uses, uncertainty),
    ],
    isAfterDashes: (word) => protectedWords.has(word),
  };
}

function uncertaintyOf(args: readonly CommandArgument[]): Uncertainty {
  const byName = new Map(args.map((argument) => [argument.name, argument]));
  return ({ parts }) => {
    const [first] = parts;
    const argument = first?.kind === 'argument' ? byName.get(first.name) : undefined;
    if (argument === undefined) return undefined;
    if (argument.allowDash) return 'dash';
    return parts.length === 1 && canBeAbsent(argument) ? 'absent' : undefined;
  };
}

/** Outside quotes the shell splits a variable and matches files with it. A plain word survives that. */
function narrowed(place: Place, word: ShellWord, use: Use): Place {
  const shell = { ...place, program: 'the shell', known: false };
  if (use.evaluated)
    return { ...shell, level: min(place.level, LEVELS.closed), fix: 'declare "type: integer"' };
  const splits = word.parts.some((part) => part.kind === 'expansion' && !part.quoted && isWithin(use, part));
  if (!splits) return place;
  return { ...shell, level: min(place.level, LEVELS.remote), fix: 'put double quotes around it' };
}

function min(a: Level, b: Level): Level {
  return a < b ? a : b;
}

function inSettings(script: Script, uses: readonly Use[]): Received[] {
  return script.settings.flatMap((setting) => {
    const { name, word, forCommand } = setting;
    const known = isLocalName(name) && !forCommand;
    const never = !isSettable(name);
    const level = never ? LEVELS.none : known ? LEVELS.any : LEVELS.word;
    const place = { ...openPlace(`the variable ${name}`), level, known, never };
    const within = uses.filter((use) => isWithin(use, setting));
    return within.map((use): Received => {
      return { use, place: narrowed(place, word, use), travel: { kind: 'assignment', shown: name } };
    });
  });
}

function inRedirects(script: Script, uses: readonly Use[]): Received[] {
  return script.redirects.flatMap(({ operator, target }) => {
    const place = operator.endsWith('&')
      ? {
          ...openPlace(`a file descriptor behind ${operator}`),
          level: LEVELS.none,
          fix: 'use > FILE 2>&1',
          never: true,
        }
      : { ...openPlace(`the file behind ${operator}`), level: LEVELS.path, fix: 'let a script open it' };
    return received(
      uses.filter((use) => isWithin(use, target)),
      place,
      operator,
    );
  });
}

/** Values that reach a command through a pipe, or a file through `>`. */
function inInputs(script: Script, uses: readonly Use[], uncertainty: Uncertainty): Received[] {
  const mayRun = fileRuns(script);
  const pipes = script.flows.flatMap(({ source, consumer }) => {
    const reached = uses.filter((use) => isWithin(use, source));
    if (reached.length === 0) return [];
    return script.commands
      .filter((command) => isWithin(command, consumer) && command.words.length > 0)
      .flatMap((command) => {
        const place = inputPlace(command, uncertainty);
        // `tee FILE` and `dd of=FILE` put their input into a file.
        const isRun = command.words.slice(1).some((word) => literalText(word) !== undefined && mayRun(word));
        return received(reached, isRun ? { ...place, level: LEVELS.none } : place, '|');
      });
  });
  return [...pipes, ...inFiles(script, uses, mayRun)];
}

function received(uses: readonly Use[], place: Place, shown: string): Received[] {
  return uses.map((use) => ({ use, place, travel: { kind: 'redirect', shown } }));
}

/** Targets that are no files: descriptors, the terminal, and nothing. */
const NO_FILE = /^(?:-|[0-9]+-?|\/dev\/(?:null|stdout|stderr|tty|fd\/[0-9]+))$/;

/** The output of a command in a file: an unknown reader takes it, and none may if the script may run the file. */
function inFiles(script: Script, uses: readonly Use[], mayRun: (word: ShellWord) => boolean): Received[] {
  return script.redirects.flatMap(({ operator, target, consumer }) => {
    const file = literalText(target);
    if (!operator.includes('>') || NO_FILE.test(file ?? '')) return [];
    const writers = writersOf(script, consumer);
    const reached = uses.filter(
      (use) => !isWithin(use, target) && writers.some((writer) => isWithin(use, writer)),
    );
    const place = openPlace(`the file ${file ?? ''}`.trim());
    return received(reached, mayRun(target) ? { ...place, level: LEVELS.none } : place, operator);
  });
}

/** What writes to a redirection: its command, what a pipe brings there, and behind `exec >` the whole script. */
function writersOf({ commands, flows }: Script, consumer: Span): readonly Span[] {
  const isExec = commands.some(
    ({ start, words }) => start === consumer.start && words.length === 1 && literalText(words[0]) === 'exec',
  );
  if (isExec) return [{ start: 0, end: Number.POSITIVE_INFINITY }];
  return [consumer, ...flows.filter((flow) => isWithin(consumer, flow.consumer)).map(({ source }) => source)];
}
