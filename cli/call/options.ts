import { InvalidArgumentError } from 'commander';
import type { ServiceOptions } from '../service/options.ts';

/** `--raw`: the terminal gets the unfiltered output, escape sequences included. */
interface OutputOptions extends ServiceOptions {
  readonly raw?: true;
}

export type CallOptions = OutputOptions;
export type CancelOptions = ServiceOptions;

export interface LogsOptions extends OutputOptions {
  readonly after?: string;
  /** Lists runs of pipelines. */
  readonly runs?: true;
}

/** Collects `name=value`. */
export function readArgument(
  text: string,
  values: readonly [string, string][] = [],
): readonly [string, string][] {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('expected an argument as name=value.');
  return [...values, [text.slice(0, equals), text.slice(equals + 1)]];
}
