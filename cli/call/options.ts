import { InvalidArgumentError } from 'commander';

/** How the service is found, in every subcommand that calls it. */
export interface ServiceOptions {
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly json?: true;
}

export type CallOptions = ServiceOptions;

export interface LogsOptions extends ServiceOptions {
  readonly after?: string;
}

/** Collects `name=value`. */
export function readArgument(
  text: string,
  values: readonly [string, string][] = [],
): readonly [string, string][] {
  const equals = text.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('An argument as name=value is expected.');
  return [...values, [text.slice(0, equals), text.slice(equals + 1)]];
}
