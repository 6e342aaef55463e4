import type { ServiceOptions } from '../service/options.ts';

type Options = Omit<ServiceOptions, 'apiKey'>;

export interface ListOptions extends Options {
  readonly status: string;
  readonly endpoint?: string;
}

export interface DecideOptions extends Options {
  readonly comment?: string;
  readonly yes?: true;
}
