import { LIMITS } from '../plan/limits.ts';
import { refuse } from '../refusal.ts';
import { argumentVariable } from './argument-name.ts';
import type { Argument, Endpoint } from './definition.ts';
import type { Program, Word } from './program.ts';
import { secretVariable } from './secret-name.ts';
import { refuseArguments } from './value/argument-problem.ts';
import { dashProblems } from './value/leading-dash.ts';
import { listItems } from './value/list.ts';
import { matchValues, type ResolvedValues } from './value/resolve-values.ts';
import { utf8Length } from './value/utf8-length.ts';

/** A command with its values, ready to start; `env` is for `commandEnvironment`. */
export interface BoundCommand {
  readonly argv: readonly [string, ...string[]];
  /** argv is `/bin/sh -c TEXT`; no value is in TEXT. */
  readonly shell: boolean;
  readonly env: Readonly<Record<string, string>>;
  /**
   * Values that output must not show: secrets, and arguments with `secret: true` (decision 9, values of a call, and
   * decision 13, managed secrets).
   */
  readonly masks: readonly string[];
}

/**
 * Puts the values of a call into their places in the command (decisions 6, 8, 9 and 13).
 *
 * `given` comes from `collectValues`. `secrets` holds at least the names in `program.secrets`. `paths` holds the values of
 * `type: path` as the agent resolved them, and the paths of the files of `type: file`; it is absent if nothing will run. Refuses
 * with `invalid_argument` (all problems in `details.problems`), `payload_too_large` or `secret_not_set`.
 */
export function bind(
  endpoint: Pick<Endpoint, 'program' | 'args'>,
  given: ReadonlyMap<string, string>,
  secrets: Readonly<Record<string, string>> = {},
  paths: ReadonlyMap<string, string> = new Map(),
): BoundCommand {
  const { program, args } = endpoint;
  const { values: checked, problems } = matchValues(args, given, paths);
  const values = new Map([...checked, ...paths]);
  const needed = pickSecrets(program, secrets);
  const all = [...problems, ...dashProblems(program, args, values, needed)];
  if (all.length > 0) throw refuseArguments(all);
  const env = argumentEnv(values);
  const masks = [...secretValues(args, values), ...Object.values(needed)];
  if (program.mode === 'argv')
    return { argv: fillWords(program.words, args, values, needed), shell: false, env, masks };
  return { argv: ['/bin/sh', '-c', program.text], shell: true, env: { ...env, ...secretEnv(needed) }, masks };
}

function pickSecrets(program: Program, secrets: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    program.secrets.map((name) => {
      const value = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
      if (value === undefined)
        throw refuse('secret_not_set', `the secret "${name}" is not set`, { secrets: [name] });
      return [name, value];
    }),
  );
}

function argumentEnv(values: ResolvedValues): Record<string, string> {
  return Object.fromEntries([...values].map(([name, value]) => [argumentVariable(name), value]));
}

function secretValues(args: readonly Argument[], values: ResolvedValues): string[] {
  return args.filter(({ secret }) => secret).map(({ name }) => values.get(name) ?? '');
}

/** Only shell mode passes secrets in the environment. In argv mode a secret is only in the word that names it. */
function secretEnv(secrets: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(secrets).map(([name, value]) => [secretVariable(name), value]));
}

function fillWords(
  words: readonly Word[],
  args: readonly Argument[],
  values: ResolvedValues,
  secrets: Readonly<Record<string, string>>,
): [string, ...string[]] {
  const lists = new Map(args.filter(({ type }) => type === 'list').map((list) => [list.name, list]));
  const filled = (word: Word) => (disappears(word, values) ? [] : [fill(word, values, secrets)]);
  const [command, ...rest] = words.flatMap((word, at) => {
    const list = listOf(word, lists);
    const next = words[at + 1];
    if (list === undefined) return next !== undefined && listOf(next, lists)?.each ? [] : filled(word);
    const before = list.each ? words.slice(at - 1, at).flatMap(filled) : [];
    // An item is its own word, whatever it is; it was checked as a value of its type (decision 67, lists and JSON values).
    return itemsOf(list, values).flatMap((item) => [...before, item]);
  });
  if (command === undefined) throw new Error('a program without a command word');
  return [command, ...rest];
}

/** The list that the word is the placeholder of. */
function listOf({ pieces }: Word, lists: ReadonlyMap<string, Argument>): Argument | undefined {
  const [only, more] = pieces.filter((piece) => piece.kind !== 'text' || piece.text !== '');
  return more === undefined && only?.kind === 'argument' ? lists.get(only.name) : undefined;
}

function itemsOf({ name }: Argument, values: ResolvedValues): readonly string[] {
  const text = values.get(name);
  return text === undefined ? [] : listItems(text);
}

function disappears({ pieces }: Word, values: ResolvedValues): boolean {
  const [only] = pieces;
  return pieces.length === 1 && only?.kind === 'argument' && !values.has(only.name);
}

function fill(word: Word, values: ResolvedValues, secrets: Readonly<Record<string, string>>): string {
  const text = word.pieces
    .map((piece) => {
      if (piece.kind === 'text') return piece.text;
      return (piece.kind === 'argument' ? values.get(piece.name) : secrets[piece.name]) ?? '';
    })
    .join('');
  if (utf8Length(text) > LIMITS.argumentWordBytes) {
    throw refuse(
      'payload_too_large',
      `one word of the command would have more than ${LIMITS.argumentWordBytes} bytes`,
    );
  }
  return text;
}
