import { totalmem } from 'node:os';
import { join } from 'node:path';
import { PLAN_LIMITS } from '@svc/core/plan/plans';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import { dataDirOf } from '@svc/hub/config';
import { InvalidArgumentError } from 'commander';

/** The options of `svc agent --runner container` beside those of every agent. */
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
  throw new InvalidArgumentError('Expected "process" or "container".');
}

export function readEngineKind(text: string): EngineKind {
  if (text === 'oci' || text === 'docker') return text;
  throw new InvalidArgumentError('Expected "oci" or "docker".');
}

export function readCapacity(text: string): number {
  const capacity = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (capacity >= 1 && capacity <= LINK_LIMITS.runnerCapacity) return capacity;
  throw new InvalidArgumentError(`Expected a number from 1 to ${LINK_LIMITS.runnerCapacity}.`);
}

/** With 0, each execution waits until its container has started. */
export function readWaiting(text: string): number {
  return text === '0' ? 0 : readCapacity(text);
}

/** The number of containers that fit in the memory of the machine, each with the memory of the largest plan. */
export function defaultCapacity(memoryBytes = totalmem()): number {
  const bytesEach = PLAN_LIMITS.team.hosted?.memoryBytes ?? 1;
  return Math.min(LINK_LIMITS.runnerCapacity, Math.max(1, Math.floor(memoryBytes / bytesEach)));
}

/** The folder of the runner image: the option, else in the data folder of this user's hub. */
export function imageFolder(option: string | undefined, environment: Environment): string {
  return option ?? join(dataDirOf(environment), 'runner-image');
}
