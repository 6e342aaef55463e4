import { bind } from '@svc/core/endpoint/bind';
import { compileCommand } from '@svc/core/endpoint/command/compile-command';
import type { Argument } from '@svc/core/endpoint/definition';
import { codeNotices } from '@svc/core/endpoint/explain';
import type { Program } from '@svc/core/endpoint/program';
import type { ArgumentProblem } from '@svc/core/endpoint/value/argument-problem';
import { Refusal } from '@svc/core/refusal';
import type { WireArgument, WireEndpoint } from '../wire-endpoint.ts';

/** As much of an endpoint as a call of it is checked against. */
export type CalledEndpoint = Pick<WireEndpoint, 'slug' | 'command' | 'args'>;

/** What the hub would say about values: clauses by the name of their argument, and what concerns them all. */
export interface CallProblems {
  readonly byArgument: ReadonlyMap<string, string>;
  readonly others: readonly string[];
}

export const NO_PROBLEMS: CallProblems = { byArgument: new Map(), others: [] };

/** Checks values by the rules of `bind`, in the browser: what is accepted here is what the hub accepts (decisions 8 and 9). */
export type CheckCall = (values: ReadonlyMap<string, string>) => CallProblems;

/** Reads an endpoint once, for all the values that its form will hold. */
export function callChecker({ command, args }: CalledEndpoint): CheckCall {
  const known = args.map(argumentOf);
  const compiled = compileCommand(command, known);
  // A newer hub may accept a command that this page does not: it then judges the values alone.
  if (compiled.kind === 'problems') return () => NO_PROBLEMS;
  const { program } = compiled;
  return (values) => check({ program, args: known }, values);
}

function check(
  endpoint: { program: Program; args: readonly Argument[] },
  values: ReadonlyMap<string, string>,
) {
  try {
    bind(endpoint, values, standIns(endpoint.program));
    return NO_PROBLEMS;
  } catch (error) {
    if (error instanceof Refusal) return problemsOf(error);
    throw error;
  }
}

/** Managed secrets never come to a browser; whether they are set the hub says. */
function standIns({ secrets }: Program): Record<string, string> {
  return Object.fromEntries(secrets.map((name) => [name, 'x']));
}

/** The problems that a refusal tells, whether this page made it or the hub did. */
export function problemsOf({ message, details }: Pick<Refusal, 'message' | 'details'>): CallProblems {
  const told = Array.isArray(details.problems) ? (details.problems as readonly ArgumentProblem[]) : [];
  if (told.length > 0)
    return { byArgument: new Map(told.map((one) => [one.argument, one.message])), others: [] };
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
  };
}

/** What is said loudly beside the fields of `type: code`, by argument. */
export function noticesOf({ command, args }: CalledEndpoint): ReadonlyMap<string, string> {
  const notices = codeNotices({ command, args: args.map(argumentOf) });
  return new Map(notices.map(({ argument, message }) => [argument, message]));
}

/** The command with the values of its form in their places, for the eye; secrets stand by name (decision 35). */
export function argumentsOf(args: readonly WireArgument[]): Argument[] {
  return args.map(argumentOf);
}
