import { join } from 'node:path';
import { readHubConfig } from '@svc/hub/config';
import { startHub } from '@svc/hub/main';
import { MIGRATIONS } from '@svc/hub/platform/db/migrations/migrate';
import { inspectAnswer } from '../inspect-answer.ts';

/** How hubs of a version are started in this process. */
export interface HubVersion {
  /** Where its sources are; undefined: they are these. */
  readonly root: string | undefined;
  /** The number of the last migration that its program knows, such as `0043`. */
  readonly lastMigration: string;
  readonly readHubConfig: typeof readHubConfig;
  readonly startHub: typeof startHub;
  readonly inspectAnswer: typeof inspectAnswer;
}

export const THIS_VERSION: HubVersion = {
  root: undefined,
  lastMigration: lastOf(MIGRATIONS),
  readHubConfig,
  startHub,
  inspectAnswer,
};

/** The version of the sources in this folder. */
export async function versionIn(root: string): Promise<HubVersion> {
  const [config, main, inspect, { MIGRATIONS }] = await Promise.all(
    ['hub/config.ts', 'hub/main.ts', 'test/inspect-answer.ts', 'hub/platform/db/migrations/migrate.ts'].map(
      (path) => import(join(root, path)),
    ),
  );
  return { root, lastMigration: lastOf(MIGRATIONS), ...config, ...main, ...inspect };
}

function lastOf(migrations: Readonly<Record<string, unknown>>): string {
  return Object.keys(migrations).toSorted().at(-1)?.slice(0, 4) ?? '';
}
