/** How the service is found, in every subcommand that calls it. */
export interface ServiceOptions {
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly json?: true;
}
