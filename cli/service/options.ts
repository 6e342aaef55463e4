/** The options of every subcommand that calls the service. */
export interface ServiceOptions {
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly json?: true;
}
