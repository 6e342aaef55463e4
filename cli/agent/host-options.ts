import { totalmem } from 'node:os';
import { join } from 'node:path';
import { PLAN_LIMITS } from '@svc/core/plan/plans';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import { dataDirOf } from '@svc/hub/config';
import { InvalidArgumentError } from 'commander';

/** What `svc agent --runner container` was given besides the options of every agent. */
export interface HostOptions {
  readonly runner?: RunnerKind;
  readonly capacity?: number;
  readonly waiting?: number;
  readonly engine?: EngineKind;
  readonly image?: string;
  readonly runtime?: string;
  readonly networkNamespace?: string;
  readonly dockerNetwork?: string;
}

export type RunnerKind = 'process' | 'container';
export type EngineKind = 'oci' | 'docker';

type Environment = Readonly<Record<string, string | undefined>>;

export function readRunnerKind(text: string): RunnerKind {
  if (text === 'process' || text === 'container') return text;
  throw new InvalidArgumentError('"process" or "container" is expected.');
}

export function readEngineKind(text: string): EngineKind {
  if (text === 'oci' || text === 'docker') return text;
  throw new InvalidArgumentError('"oci" or "docker" is expected.');
}

export function readCapacity(text: string): number {
  const capacity = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (capacity >= 1 && capacity <= LINK_LIMITS.runnerCapacity) return capacity;
  throw new InvalidArgumentError(`A number from 1 to ${LINK_LIMITS.runnerCapacity} is expected.`);
}

/** None is a number too: then each execution waits for a container of its own to start. */
export function readWaiting(text: string): number {
  return text === '0' ? 0 : readCapacity(text);
}

/** As many as have room in the memory of the machine, each with as much as a plan gives. */
export function defaultCapacity(memoryBytes = totalmem()): number {
  const most = PLAN_LIMITS.team.hosted?.memoryBytes ?? 1;
  return Math.min(LINK_LIMITS.runnerCapacity, Math.max(1, Math.floor(memoryBytes / most)));
}

/** Where the image of the hosted runner is, unless an option says it: with the data of this user's hub. */
export function imageFolder(option: string | undefined, environment: Environment): string {
  return option ?? join(dataDirOf(environment), 'runner-image');
}
