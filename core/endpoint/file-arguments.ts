import { LIMITS } from '../plan/limits.ts';
import type { Argument, DeclaredArgument, Endpoint } from './definition.ts';

/** The arguments that take a file (decision 76, files of a call). */
export function fileArguments<Declared extends DeclaredArgument>(
  args: readonly Declared[],
): readonly Declared[] {
  return args.filter(({ type }) => type === 'file');
}

/** Whether each call must send a file for this argument. */
export function isRequiredFile({ type, required }: DeclaredArgument): boolean {
  return type === 'file' && required;
}

/** The longest file of an argument in bytes. */
export function fileLimit({ maxBytes = LIMITS.defaultFileBytes }: Pick<Argument, 'maxBytes'>): number {
  return maxBytes;
}

/**
 * The longest form that a call may send, in bytes: every file at its limit, and the values. Undefined: the endpoint takes no file.
 *
 * @param planBytes what the plan allows
 */
export function formLimit(
  { args }: Pick<Endpoint, 'args'>,
  planBytes: number = LIMITS.maxStdinBytes,
): number | undefined {
  const files = fileArguments(args);
  if (files.length === 0) return undefined;
  const most = files.reduce((sum, argument) => sum + fileLimit(argument), LIMITS.formStartBytes);
  return Math.min(most, planBytes);
}

/**
 * Paths that stand for the files of a form, for `bind`, where a call is checked before its files have arrived. Nothing runs with
 * these paths.
 */
export function filePlaceholders(args: readonly Argument[]): ReadonlyMap<string, string> {
  return new Map(fileArguments(args).map(({ name }) => [name, `/${name}`]));
}
