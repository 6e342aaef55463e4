import type { DeclaredArgument } from '../../definition.ts';
import { isLocalName, isSettable } from '../../environment.ts';
import { canBeAbsent } from '../../value/resolve-values.ts';
import { isWithin, type Script, type ShellWord, type SimpleCommand, type TextSpan } from '../shell/script.ts';
import { type FileRuns, findFileRuns } from './file-runs.ts';
import { inputPlace } from './input-place.ts';
import { LEVELS, type Level } from './level.ts';
import type { Uncertainty } from './operands.ts';
import { openPlace, placeOf, type ReceiverPlace, strictest } from './place.ts';
import { findUses, type Use } from './uses.ts';
import { endsOptions, isOwnScript, literalPrefix, literalText } from './words.ts';

/** Where a value arrives. `shown` is the place as a person reads it. */
export type TravelPlace =
  | { readonly kind: 'argument'; readonly position: number; readonly program: string }
  | { readonly kind: 'environment'; readonly variable: string }
  | { readonly kind: 'redirect' | 'assignment'; readonly shown: string };

/** One use with one of the places that receive it. */
export interface ValueReceivers {
  readonly use: Use;
  readonly place: ReceiverPlace;
  readonly travel: TravelPlace;
}

/** Everything that receives a value in a script, and the words that a `--` of their program protects from dashes. */
export interface Receivers {
  readonly received: readonly ValueReceivers[];
  readonly uses: readonly Use[];
  readonly isAfterDashes: (word: ShellWord) => boolean;
}

/** Finds what receives each value of a script (decision 57, values by type). */
export function findReceivers(script: Script, text: string, args: readonly DeclaredArgument[]): Receivers {
  const uses = findUses(script, text, args);
  const uncertainty = uncertaintyOf(args);
  const protectedWords = new Set<ShellWord>();
  const runs = findFileRuns(script);
  const isElsewhere = script.commands.some(leavesFolder);
  const isRelative = (word: ShellWord) => isOwnScript(word) && !/^[/~]/.test(literalPrefix(word));
  /** Behind `cd` to another place, a relative path may be a program of the system. */
  const trusted = (place: ReceiverPlace, words: readonly ShellWord[]) =>
    isElsewhere && words.slice(place.owner, place.owner + 2).some(isRelative)
      ? strictest([place, { ...place, level: LEVELS.any }])
      : place;
  const inWords = script.commands.flatMap((command) =>
    command.words.flatMap((word, at): ValueReceivers[] => {
      const { words } = command;
      const within = uses.filter((use) => isWithin(use, word));
      if (within.length === 0) return [];
      // A use in a fixed text is the bare name of a variable, or the name of a program that prints all of them.
      const isFixed = literalText(word) !== undefined;
      const place = isFixed ? openPlace('the shell', LEVELS.data) : placeOf(words, 0, at, uncertainty);
      if (words.slice(place.owner + 1, at).some(endsOptions)) protectedWords.add(word);
      const isLoaded = runs.download(command);
      return within.map((use) => ({
        use,
        place: narrowed(isLoaded ? chosen(trusted(place, words)) : trusted(place, words), word, use),
        travel: isFixed
          ? { kind: 'environment', variable: use.variable }
          : { kind: 'argument', position: at, program: place.program },
      }));
    }),
  );
  const inputOf = (words: readonly ShellWord[]) => trusted(inputPlace(words, 0, uncertainty), words);
  return {
    uses,
    received: [...inWords, ...inSettings(script, uses), ...inFiles(script, uses, runs, inputOf)],
    isAfterDashes: (word) => protectedWords.has(word),
  };
}

/** `curl -o FILE {{x}}; sh FILE`: a word chooses among the files of the owner. An address would choose any program. */
function chosen(place: ReceiverPlace): ReceiverPlace {
  const fix = 'write the address out, as far as no plain word can say it';
  return strictest([place, { ...place, level: LEVELS.word, fix }]);
}

function uncertaintyOf(args: readonly DeclaredArgument[]): Uncertainty {
  const byName = new Map(args.map((argument) => [argument.name, argument]));
  return ({ parts }) => {
    const [first] = parts;
    const argument = first?.kind === 'argument' ? byName.get(first.name) : undefined;
    if (argument === undefined) return undefined;
    if (argument.allowDash) return 'dash';
    return parts.length === 1 && canBeAbsent(argument) ? 'absent' : undefined;
  };
}

/** `cd` to anything but a fixed folder below. */
function leavesFolder({ words }: SimpleCommand): boolean {
  const texts = words.map((word) => literalText(word) ?? '/');
  const folder = texts.at(-1) ?? '/';
  if (!texts.some((text) => /^(?:cd|chdir|pushd|popd)$/.test(text))) return false;
  return texts.length === 1 || /^[-/~]|\.\./.test(folder);
}

/** The place of a word, once it is known how the value stands in the word. */
function narrowed(place: ReceiverPlace, word: ShellWord, use: Use): ReceiverPlace {
  const narrow = (level: Level, fix: string, program = 'the shell') =>
    strictest([place, { ...place, level, fix, program }]);
  if (use.evaluated) return narrow(LEVELS.closed, 'declare "type: integer"');
  // A plain word behind a dash is an option: `tar -{{x}}`, `git --{{x}}`.
  if (/^(?:\w+=)?-(?:-[\w-]*)?$/.test(literalPrefix(word)))
    return narrow(LEVELS.closed, 'write the option out, or declare its "choices"', place.program);
  // Outside quotes the shell splits a variable and matches files with it. A plain word survives that.
  const splits = word.parts.some((part) => part.kind === 'expansion' && !part.quoted && isWithin(use, part));
  return splits ? narrow(LEVELS.remote, 'put double quotes around it') : place;
}

function inSettings(script: Script, uses: readonly Use[]): ValueReceivers[] {
  return script.settings.flatMap(({ name, word, forCommand }) => {
    const isData = isLocalName(name) && !forCommand;
    const level = isSettable(name) ? (isData ? LEVELS.data : LEVELS.word) : LEVELS.never;
    const place = openPlace(`the variable ${name}`, level);
    const within = uses.filter((use) => isWithin(use, word));
    return within.map((use): ValueReceivers => {
      return { use, place: narrowed(place, word, use), travel: { kind: 'assignment', shown: name } };
    });
  });
}

/** Targets that are no files: descriptors, the terminal, and nothing. */
const NO_FILE = /^(?:-|[0-9]+-?|\/dev\/(?:null|stdout|stderr|tty|fd\/[0-9]+))$/;

/** Values that name a file, or that reach a command through a pipe or a file through `>`. */
function inFiles(
  script: Script,
  uses: readonly Use[],
  runs: FileRuns,
  inputOf: (words: readonly ShellWord[]) => ReceiverPlace,
): ValueReceivers[] {
  const within = (spans: readonly TextSpan[]) =>
    uses.filter((use) => spans.some((span) => isWithin(use, span)));
  const piped = script.flows.flatMap(({ source, consumer }) => {
    const reached = within([source]);
    if (reached.length === 0) return [];
    const commands = script.commands.filter(
      (command) => isWithin(command, consumer) && command.words.length > 0,
    );
    return commands.flatMap((command) => {
      const place = runs.input(command) ? openPlace('a file', LEVELS.none) : inputOf(command.words);
      return received(reached, place, '|');
    });
  });
  const redirected = script.redirects.flatMap(({ operator, target, consumer }) => {
    const named = within([target]);
    const place = operator.endsWith('&')
      ? { ...openPlace(`a file descriptor behind ${operator}`, LEVELS.never), fix: 'use > FILE 2>&1' }
      : { ...openPlace(`the file behind ${operator}`, LEVELS.path), fix: 'let a script open it' };
    const file = literalText(target) ?? '';
    const isFile = operator.includes('>') && !NO_FILE.test(file);
    const written = isFile ? within(writersOf(script, consumer)).filter((use) => !named.includes(use)) : [];
    // The reader of the file is not known. None may if the script may run the file.
    const content = openPlace(`the file ${file}`.trim(), runs.target(target) ? LEVELS.none : LEVELS.any);
    return [...received(named, place, operator), ...received(written, content, operator)];
  });
  return [...piped, ...redirected];
}

function received(uses: readonly Use[], place: ReceiverPlace, shown: string): ValueReceivers[] {
  return uses.map((use) => ({ use, place, travel: { kind: 'redirect', shown } }));
}

/** The writer of a redirection: its command, the other end of a pipe there, and behind `exec >` the whole script. */
function writersOf({ commands, flows }: Script, consumer: TextSpan): readonly TextSpan[] {
  const isExec = commands.some(({ start, words }) => {
    const text = words.map((word) => literalText(word) ?? '').join('');
    return start === consumer.start && /^(?:command|builtin)*exec$/.test(text);
  });
  if (isExec) return [{ start: 0, end: Number.POSITIVE_INFINITY }];
  return [consumer, ...flows.filter((flow) => isWithin(consumer, flow.consumer)).map(({ source }) => source)];
}
