import type { Command } from 'commander';

/** The options of every subcommand that calls the service. */
export interface ServiceOptions {
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly context?: string;
  readonly json?: true;
}

/** `--api-key`: the variable or a file comes first, because other users of the machine can read a command line. */
export const API_KEY_OPTION = [
  '--api-key <key>',
  'the API key, as @file: a key on the command line can be read by other users (default: $SVC_API_KEY)',
] as const;

/** Adds the options that select the service. */
export function withServiceOptions(command: Command): Command {
  return command
    .option('--base-url <url>', 'the URL of the service (default: $SVC_BASE_URL)')
    .option('--context <name>', 'the service by its name in svc context (default: $SVC_CONTEXT)');
}

/** The part of a help text that names the variables of `withServiceOptions`, for a member. */
export const MEMBER_ENVIRONMENT = `Environment:
  SVC_BASE_URL      the URL of the service (default: the context in use, else http://127.0.0.1:8787)
  SVC_ACCESS_TOKEN  the access token of a member (default: the token of svc login)`;
