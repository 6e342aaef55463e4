import type { Argument, Endpoint } from '../endpoint/definition.ts';
import { fileArguments, formLimit } from '../endpoint/file-arguments.ts';
import { collectValues } from '../endpoint/value/collect-values.ts';
import { LIMITS } from '../plan/limits.ts';
import { refuse } from '../refusal.ts';
import { ARGUMENTS_IN_HEADER, type CallInput, callInput } from './call-body.ts';
import { readCallValues, readQueryValues, type ValueRequest } from './call-values.ts';
import { isForm } from './form/form-reader.ts';
import { readForm } from './form/read-form.ts';
import { readQuery } from './query.ts';

/** What a request gives to a command. */
export interface CallParts {
  readonly values: ReadonlyMap<string, string>;
  /** The body, for a command that reads it from stdin or gets files. */
  readonly input: CallInput | undefined;
}

/**
 * Reads the values of a call. The body is left for the agent if it is standard input (decision 73, the body as standard input) or a
 * form with files (decision 76, files of a call).
 *
 * @param planBytes the longest body that the plan allows
 */
export async function readCallParts(
  request: ValueRequest & Parameters<typeof callInput>[0],
  query: string,
  endpoint: Pick<Endpoint, 'args' | 'stdin' | 'maxStdinBytes'>,
  planBytes?: number,
): Promise<CallParts> {
  const { args } = endpoint;
  const stdinBytes = stdinLimit(endpoint, planBytes);
  if (stdinBytes !== undefined)
    return { input: callInput(request, stdinBytes), values: readQueryValues(query, args) };
  refuseArgumentsInBody(request, args);
  const formBytes = isForm(request) ? formLimit(endpoint, planBytes) : undefined;
  if (formBytes === undefined)
    return { input: undefined, values: await readCallValues(request, query, args) };
  const { values, input } = await readForm(request, args, formBytes);
  return { input, values: collectValues({ query: [...readQuery(query), ...values], body: undefined }, args) };
}

/** The refusal tells a program that does not know the endpoint which arguments are files. Nothing runs. */
function refuseArgumentsInBody({ headers }: Pick<ValueRequest, 'headers'>, args: readonly Argument[]): void {
  const files = fileArguments(args).map(({ name }) => name);
  if (files.length === 0 || headers.get(ARGUMENTS_IN_HEADER) !== 'body') return;
  throw refuse(
    'unsupported_media_type',
    `it takes files (${files.join(', ')}): arguments come as multipart/form-data, values before files`,
    { files },
  );
}

/**
 * The longest body in bytes that a call may stream to the command's stdin; undefined: the endpoint takes none (decision 73, the body
 * as standard input).
 *
 * @param planBytes what the plan allows
 */
function stdinLimit(
  { stdin, maxStdinBytes = LIMITS.defaultStdinBytes }: Pick<Endpoint, 'stdin' | 'maxStdinBytes'>,
  planBytes: number = LIMITS.maxStdinBytes,
): number | undefined {
  return stdin === undefined ? undefined : Math.min(maxStdinBytes, planBytes);
}
