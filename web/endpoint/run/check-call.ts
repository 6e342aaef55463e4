import { bind } from '@svc/core/endpoint/bind';
import { compileCommand } from '@svc/core/endpoint/command/compile-command';
import type { Argument } from '@svc/core/endpoint/definition';
import { codeNotices } from '@svc/core/endpoint/explain';
import { filePlaceholders } from '@svc/core/endpoint/file-arguments';
import type { Program } from '@svc/core/endpoint/program';
import type { ArgumentProblem } from '@svc/core/endpoint/value/argument-problem';
import { Refusal } from '@svc/core/refusal';
import type { WireArgument, WireEndpoint } from '../wire-endpoint.ts';

/** The parts of an endpoint that a call is checked against. */
export type CalledEndpoint = Pick<WireEndpoint, 'slug' | 'command' | 'args'>;

/** The problems of a call: by argument, and those about the whole call. */
export interface CallProblems {
  readonly byArgument: ReadonlyMap<string, string>;
  readonly others: readonly string[];
}

export const NO_PROBLEMS: CallProblems = { byArgument: new Map(), others: [] };

/**
 * Checks values in the browser by the rules of `bind`, which the hub shares (decision 8, leading dash and sizes of values,
 * and decision 9, values of a call).
 */
export type CheckCall = (values: ReadonlyMap<string, string>) => CallProblems;

/** Compiles the command once, for all checks of its form. */
export function callChecker({ command, args }: CalledEndpoint): CheckCall {
  const known = args.map(argumentOf);
  const compiled = compileCommand(command, known);
  // A newer hub may accept a command that this page cannot compile; the hub then checks the values alone.
  if (compiled.kind === 'problems') return () => NO_PROBLEMS;
  const { program } = compiled;
  return (values) => check({ program, args: known }, values);
}

function check(
  endpoint: { program: Program; args: readonly Argument[] },
  values: ReadonlyMap<string, string>,
) {
  try {
    // The form checks its files itself (`fileProblem`).
    bind(endpoint, values, placeholderSecrets(endpoint.program), filePlaceholders(endpoint.args));
    return NO_PROBLEMS;
  } catch (error) {
    if (error instanceof Refusal) return problemsOf(error);
    throw error;
  }
}

/** Placeholder values for managed secrets, which a browser never receives; the hub checks whether they are set. */
function placeholderSecrets({ secrets }: Program): Record<string, string> {
  return Object.fromEntries(secrets.map((name) => [name, 'x']));
}

/** The problems in a refusal of this page or of the hub. */
export function problemsOf({ message, details }: Pick<Refusal, 'message' | 'details'>): CallProblems {
  const listed = Array.isArray(details.problems) ? (details.problems as readonly ArgumentProblem[]) : [];
  if (listed.length > 0)
    return { byArgument: new Map(listed.map((one) => [one.argument, one.message])), others: [] };
  const { argument } = details;
  if (typeof argument === 'string') return { byArgument: new Map([[argument, message]]), others: [] };
  return { byArgument: new Map(), others: [message] };
}

function argumentOf(wire: WireArgument): Argument {
  const {
    max_length: maxLength,
    allow_dash: allowDash,
    default: fallback,
    description,
    choices,
    pattern,
    root,
    schemes,
    hosts,
    items,
    each,
    max_items: maxItems,
    max_bytes: maxBytes,
    accept,
    schema,
    choices_from: choicesFrom,
    choices_args: choicesArgs,
  } = wire;
  return {
    name: wire.name,
    type: wire.type,
    inferred: wire.inferred,
    required: wire.required,
    secret: wire.secret,
    allowDash,
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(description === undefined ? {} : { description }),
    ...(choices === undefined ? {} : { choices }),
    ...(pattern === undefined ? {} : { pattern }),
    ...(root === undefined ? {} : { root }),
    ...(schemes === undefined ? {} : { schemes }),
    ...(hosts === undefined ? {} : { hosts }),
    ...(items === undefined ? {} : { items }),
    ...(each === undefined ? {} : { each }),
    ...(maxItems === undefined ? {} : { maxItems }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
    ...(accept === undefined ? {} : { accept }),
    ...(schema === undefined ? {} : { schema }),
    ...(choicesFrom === undefined ? {} : { choicesFrom }),
    ...(choicesArgs === undefined ? {} : { choicesArgs }),
  };
}

/** The warnings beside the fields of `type: code`, by argument. */
export function noticesOf({ command, args }: CalledEndpoint): ReadonlyMap<string, string> {
  const notices = codeNotices({ command, args: args.map(argumentOf) });
  return new Map(notices.map(({ argument, message }) => [argument, message]));
}

/** The arguments of the wire form as core has them. */
export function argumentsOf(args: readonly WireArgument[]): Argument[] {
  return args.map(argumentOf);
}
