import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

const MARK = 'SVC_EXECUTION_ID=';
/** The variable that marks a guard: a process that keeps a stdin open (`start/stdin-pipe.ts`). */
export const GUARD_MARK = 'SVC_STDIN_GUARD';
const MARK_AT_START = Buffer.from(MARK);
const MARK_INSIDE = Buffer.from(`\0${MARK}`);

/** A process in the middle of an exec shows no environment for a moment, so one empty pass proves nothing. */
const CLEAN_PASSES = 2;
const BETWEEN_PASSES_MS = 5;
/** Stops the sweep if processes fork faster than it finds them, or the kernel does not end them. */
const MAX_PASSES = 200;
/** Reading this many environments takes about a millisecond; then other work gets its turn. */
const PROCESSES_PER_BATCH = 128;

interface Sweep {
  readonly killed: Set<number>;
  readonly done: Promise<number>;
  readonly finish: (killed: number) => void;
  passes: number;
  cleanPasses: number;
  /** Guards are killed last: a command must not take the end of its stdin for the end of a complete input. */
  sparesGuards: boolean;
  hasSpared: boolean;
}

/** All running sweeps of this thread: one pass over the processes serves them all. */
const sweeps = new Map<string, Sweep>();
let passing = false;

/**
 * Kills every process that has this execution's id in its environment, until none is found (decision 18, time-out and
 * cancel): also processes that left the group, and those of an agent that is gone. Returns their number.
 *
 * Only Linux shows environments; on other systems nothing is found (decision 55, platforms).
 */
export function sweepExecution(executionId: string): Promise<number> {
  if (process.platform !== 'linux') return Promise.resolve(0);
  const underWay = sweeps.get(executionId);
  if (underWay !== undefined) {
    underWay.cleanPasses = 0;
    return underWay.done;
  }
  const { promise: done, resolve: finish } = Promise.withResolvers<number>();
  const begun = { passes: 0, cleanPasses: 0, sparesGuards: true, hasSpared: false };
  sweeps.set(executionId, { killed: new Set(), done, finish, ...begun });
  if (!passing) void passUntilDone();
  return done;
}

async function passUntilDone(): Promise<void> {
  passing = true;
  while (sweeps.size > 0) {
    await pass();
    await Bun.sleep(BETWEEN_PASSES_MS);
  }
  passing = false;
}

async function pass(): Promise<void> {
  // A sweep that starts meanwhile is not included: this pass has already visited some processes.
  const served = [...sweeps];
  const found = await killMarked();
  for (const [executionId, sweep] of served) {
    sweep.passes += 1;
    sweep.cleanPasses = found.has(executionId) ? 0 : sweep.cleanPasses + 1;
    if (sweep.cleanPasses < CLEAN_PASSES && sweep.passes < MAX_PASSES) continue;
    if (sweep.hasSpared) {
      Object.assign(sweep, { passes: 0, cleanPasses: 0, sparesGuards: false, hasSpared: false });
      continue;
    }
    sweeps.delete(executionId);
    sweep.finish(sweep.killed.size);
  }
}

async function killMarked(): Promise<Set<string>> {
  const found = new Set<string>();
  const pids = otherProcesses();
  for (let at = 0; at < pids.length; at += PROCESSES_PER_BATCH) {
    if (at > 0) await setImmediate();
    for (const pid of pids.slice(at, at + PROCESSES_PER_BATCH)) {
      const executionId = killIfMarked(pid);
      if (executionId !== undefined) found.add(executionId);
    }
  }
  return found;
}

/** Returns the execution that a killed process belonged to. */
function killIfMarked(pid: number): string | undefined {
  const environ = environOf(pid);
  const executionId = environ && executionIdIn(environ);
  const sweep = executionId === undefined ? undefined : sweeps.get(executionId);
  if (environ === undefined || sweep === undefined) return undefined;
  if (sweep.sparesGuards && environ.includes(`${GUARD_MARK}=`)) {
    sweep.hasSpared = true;
    return undefined;
  }
  // The environment was read just now, so the pid still names the same process.
  if (!kill(pid)) return undefined;
  sweep.killed.add(pid);
  return executionId;
}

function otherProcesses(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 1 && pid !== process.pid);
}

/** Undefined for a process that has ended, a zombie, or one of another user. */
function environOf(pid: number): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`);
  } catch {
    return undefined;
  }
}

function executionIdIn(environ: Buffer): string | undefined {
  const start = startOfMark(environ);
  if (start < 0) return undefined;
  const end = environ.indexOf(0, start);
  return environ.toString('utf8', start, end < 0 ? environ.length : end);
}

function startOfMark(environ: Buffer): number {
  if (environ.subarray(0, MARK.length).equals(MARK_AT_START)) return MARK.length;
  const before = environ.indexOf(MARK_INSIDE);
  return before < 0 ? -1 : before + MARK_INSIDE.length;
}

function kill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    // The process has ended or may not be killed; either way nothing more can be done.
    return false;
  }
}
