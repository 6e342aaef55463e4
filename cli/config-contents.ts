import type { Config } from '@svc/core/config/parse-config';
import { plural } from './plural.ts';

/** `3 endpoints`, `3 endpoints and 1 pipeline`: what is in a config file. */
export function contentsOf({ endpoints, pipelines }: Pick<Config, 'endpoints' | 'pipelines'>): string {
  const counted = plural(endpoints.length, 'endpoint');
  return pipelines.length === 0 ? counted : `${counted} and ${plural(pipelines.length, 'pipeline')}`;
}
