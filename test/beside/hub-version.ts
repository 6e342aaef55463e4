import { join } from 'node:path';
import { readHubConfig } from '@svc/hub/config';
import { startHub } from '@svc/hub/main';
import { inspectAnswer } from '../inspect-answer.ts';

/** How hubs of a version are started in this process. */
export interface HubVersion {
  /** Where its sources are; undefined: they are these. */
  readonly root: string | undefined;
  readonly readHubConfig: typeof readHubConfig;
  readonly startHub: typeof startHub;
  readonly inspectAnswer: typeof inspectAnswer;
}

export const THIS_VERSION: HubVersion = { root: undefined, readHubConfig, startHub, inspectAnswer };

/** The version of the sources in this folder. */
export async function versionIn(root: string): Promise<HubVersion> {
  const [config, main, inspect] = await Promise.all(
    ['hub/config.ts', 'hub/main.ts', 'test/inspect-answer.ts'].map((path) => import(join(root, path))),
  );
  return { root, ...config, ...main, ...inspect };
}
