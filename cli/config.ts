import type { ConfigSource } from '@svc/agent/config-source';
import { type ConfigProblem, formatProblem } from '@svc/core/config/problem';
import { Failure } from './failure.ts';
import { plural } from './plural.ts';

export const DEFAULT_CONFIG = 'svc.yaml';

type GoodConfig = Extract<ConfigSource, { kind: 'config' }>;

/** Returns the config, or throws a `Failure` with all its problems. */
export function requireConfig(source: ConfigSource, path: string): GoodConfig {
  switch (source.kind) {
    case 'config':
      return source;
    case 'unreadable':
      throw new Failure(source.message, source.reason === 'missing' ? { tip: tipForMissing(path) } : {});
    case 'problems':
      throw new Failure(`${plural(source.problems.length, 'problem')} in ${path}`, {
        details: formatProblems(path, source.problems),
      });
  }
}

export function formatProblems(path: string, problems: readonly ConfigProblem[]): string[] {
  return problems.map((problem) => formatProblem(path, problem));
}

function tipForMissing(path: string): string {
  return path === DEFAULT_CONFIG ? 'svc init' : `svc init --config ${path}`;
}
