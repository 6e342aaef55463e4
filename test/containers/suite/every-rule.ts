import type { ContainerWorld } from '../container-world.ts';
import { theWalls } from './isolation.ts';
import { theLife } from './life.ts';
import { theLimits } from './limits.ts';
import { theOutput } from './output.ts';
import { theRules } from './rules.ts';
import { theWorkspace } from './workspace.ts';

/** The sizes of volumes in the world that {@link everyRule} is given. */
export const SMALL = { volumeBytes: 64 * 1024 * 1024, outputBytes: 64 * 1024 * 1024 } as const;

/** The rules in containers of every engine. */
export function everyRule(given: () => ContainerWorld): void {
  theRules(given);
  theWalls(given);
  theLimits(given);
  theLife(given);
  theWorkspace(given);
  theOutput(given);
}
