import type { ContainerWorld } from '../container-world.ts';
import { theWalls } from './isolation.ts';
import { theLife } from './life.ts';
import { theLimits } from './limits.ts';
import { theRules } from './rules.ts';
import { theWorkspace } from './workspace.ts';

/** The rules in containers of every engine; volumes in the given world have 64 MiB. */
export function everyRule(given: () => ContainerWorld): void {
  theRules(given);
  theWalls(given);
  theLimits(given);
  theLife(given);
  theWorkspace(given);
}
