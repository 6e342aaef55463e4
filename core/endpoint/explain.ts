import type { Travel } from './command/check-types.ts';
import { compileCommand } from './command/compile-command.ts';
import type { TravelPlace } from './command/receivers/receive.ts';
import type { Argument, ArgumentType } from './definition.ts';

/** The type of the words that an argument becomes: for a list that of its items. */
function wordType({ type, items = 'word' }: Argument): ArgumentType {
  return type === 'list' ? items : type;
}

type Explained = { readonly command: string; readonly args: readonly Argument[] };

/** The path of each value to its receiver; empty for a command that does not compile. */
export function valueRoutes({ command, args }: Explained): readonly Travel[] {
  const compiled = compileCommand(command, args);
  return compiled.kind === 'program' ? compiled.travel : [];
}

/** A place in plain words: `argument 2 of psql`, `the environment variable SVC_ARG_NAME`. */
export function placeText(place: TravelPlace): string {
  if (place.kind === 'argument') return `argument ${place.position} of ${place.program}`;
  if (place.kind === 'environment') return `the environment variable ${place.variable}`;
  return `${place.kind} ${place.shown}`;
}

/** The warning about an argument of `type: code` (decision 57, values by type): its values are programs. */
export interface CodeNotice {
  readonly argument: string;
  readonly message: string;
}

/** One notice for each argument of `type: code`. */
export function codeNotices(endpoint: Explained): CodeNotice[] {
  const codes = endpoint.args.filter((argument) => wordType(argument) === 'code');
  if (codes.length === 0) return [];
  const travel = valueRoutes(endpoint);
  return codes.map(({ name }) => {
    const programs = travel.flatMap(({ argument, place }) =>
      argument === name && place.kind === 'argument' ? place.program : [],
    );
    const by = programs.length === 0 ? '' : ` by ${[...new Set(programs)].join(' and ')}`;
    return { argument: name, message: `Code: whatever you type is run as a program${by}.` };
  });
}

/** The arguments whose values are programs, for the audit log; empty without any. */
export function codeDetails({ args }: Pick<Explained, 'args'>): { readonly code?: readonly string[] } {
  const code = args.filter((argument) => wordType(argument) === 'code').map(({ name }) => name);
  return code.length === 0 ? {} : { code };
}

/**
 * The places where a `text` reaches a program that is not known to take it as data. `svc validate --strict` refuses them.
 */
export function unknownTexts(endpoint: Explained): readonly Travel[] {
  const texts = new Set(
    endpoint.args.filter((argument) => wordType(argument) === 'text').map(({ name }) => name),
  );
  return valueRoutes(endpoint).filter(({ argument, known }) => !known && texts.has(argument));
}
