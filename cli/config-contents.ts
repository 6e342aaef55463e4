import type { Config } from '@svc/core/config/parse-config';
import { plural } from './plural.ts';

/** The contents of a config file in words: `3 endpoints`, `3 endpoints and 1 pipeline`. */
export function contentsOf({ endpoints, pipelines }: Pick<Config, 'endpoints' | 'pipelines'>): string {
  const counted = plural(endpoints.length, 'endpoint');
  return pipelines.length === 0 ? counted : `${counted} and ${plural(pipelines.length, 'pipeline')}`;
}
