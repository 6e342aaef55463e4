import { LIMITS } from '../../plan/limits.ts';
import { refuse } from '../../refusal.ts';
import { suggest } from '../../suggest.ts';
import type { Argument } from '../definition.ts';
import type { ArgumentProblem } from './argument-problem.ts';
import { checkValue, passedValue } from './check-value.ts';
import { utf8Length } from './utf8-length.ts';

/** The value of each argument with defaults, in the order of the definitions. Absent optional arguments are left out. */
export type ResolvedValues = ReadonlyMap<string, string>;

/**
 * The values of a call against the definitions alone (decision 8, leading dash and sizes of values, and decision 9, values
 * of a call). Problems are returned, so that they can be listed together with those of the command. Throws
 * `payload_too_large`.
 *
 * @param placed has the files that came with the call, by their arguments
 */
export function matchValues(
  args: readonly Argument[],
  given: ReadonlyMap<string, string>,
  placed: ReadonlyMap<string, string> = new Map(),
): { values: ResolvedValues; problems: readonly ArgumentProblem[] } {
  refuseOversize(given);
  const values = new Map<string, string>();
  const problems = unknownNames(args, given);
  for (const argument of args) {
    const value = given.get(argument.name) ?? argument.default;
    const isFile = argument.type === 'file' && placed.has(argument.name);
    const absence = isFile ? undefined : absenceProblem(argument);
    const message = value === undefined ? absence : checkValue(argument, value);
    if (message !== undefined) problems.push({ argument: argument.name, message });
    if (value !== undefined) values.set(argument.name, message ? value : passedValue(argument, value));
  }
  return { values, problems };
}

/**
 * Whether the argument can have no value. A word that is only its placeholder then disappears (decision 6, two modes of a
 * command).
 */
export function canBeAbsent(argument: Pick<Argument, 'required' | 'default'>): boolean {
  return !argument.required && argument.default === undefined;
}

function absenceProblem(argument: Argument): string | undefined {
  if (canBeAbsent(argument)) return undefined;
  return argument.type === 'file' ? `it is required: ${FILE_FIELD}` : 'it is required';
}

const FILE_FIELD = 'send the file as a field of multipart/form-data, as curl -F name=@FILE does';

function refuseOversize(given: ReadonlyMap<string, string>): void {
  let total = 0;
  for (const [argument, value] of given) {
    const bytes = utf8Length(value);
    total += bytes;
    if (bytes > LIMITS.valueBytes) {
      throw refuse(
        'payload_too_large',
        `argument "${argument}" has ${bytes} bytes; at most ${LIMITS.valueBytes} are accepted`,
        {
          argument,
        },
      );
    }
  }
  if (total > LIMITS.valuesTotalBytes) {
    const message = `the values have ${total} bytes together; at most ${LIMITS.valuesTotalBytes} are accepted`;
    throw refuse('payload_too_large', message);
  }
}

function unknownNames(args: readonly Argument[], given: ReadonlyMap<string, string>): ArgumentProblem[] {
  const names = args.map((argument) => argument.name);
  return [...given.keys()]
    .filter((name) => !names.includes(name))
    .map((name) => ({ argument: name, message: unknownMessage(name, names) }));
}

function unknownMessage(name: string, names: readonly string[]): string {
  const meant = suggest(name, names);
  if (meant !== undefined) return `there is no argument of this name; did you mean "${meant}"?`;
  if (names.length === 0) return 'this endpoint takes no arguments';
  return `there is no argument of this name; there are ${names.join(', ')}`;
}
