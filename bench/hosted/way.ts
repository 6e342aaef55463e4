import { PLAN_LIMITS } from '@svc/core/plan/plans';

/** One way to run `true` in a fresh container. */
export interface Way {
  readonly name: string;
  /** Runs it to its end, and answers with how long that took, in µs. */
  once(): Promise<number>;
  /** Settles when nothing is being made ahead or cleared up, with whether as much is ready ahead as may be. */
  isReady(): Promise<boolean>;
}

/** The limits of each container, by whichever side it is made. */
export const LIMITS = limitsOfTeam();

function limitsOfTeam() {
  const { hosted } = PLAN_LIMITS.team;
  if (hosted === undefined) throw new Error('the plan Team has no hosted runner');
  const { vcpus, memoryBytes } = hosted;
  return { vcpus, memoryBytes };
}

/** In µs. */
export async function timed(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return (performance.now() - startMs) * 1_000;
}

/** How many commands a host takes at a time, and how many the plan allows. */
export const CAPACITY = 20;

/** Starts this many at the same moment; returns how long each took, in µs. */
export async function burst({ once }: Way, callers: number): Promise<number[]> {
  return await Promise.all(Array.from({ length: callers }, () => once()));
}

const MAX_BURSTS = 20;

/** Brings a way to where it has everything ready: a host keeps as many waiting as were lately wanted within a second. */
export async function makeReady(way: Way): Promise<void> {
  for (let bursts = 0; bursts < MAX_BURSTS; bursts += 1) {
    if (await way.isReady()) return;
    await burst(way, CAPACITY);
  }
  throw new Error(`${way.name} does not come to have ${CAPACITY} containers waiting`);
}
