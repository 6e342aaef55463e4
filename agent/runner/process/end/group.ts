import { readdirSync, readFileSync } from 'node:fs';

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;
const CLOSE_LOOK_AFTER_PAUSE_MS = 20;

/** Signals every process in the group of a command; false if there is none to signal. */
export function signalGroup(leaderPid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-leaderPid, signal);
    return true;
  } catch {
    // ESRCH: the group is empty. EPERM: all its processes now run as another user, which we cannot signal.
    return false;
  }
}

/**
 * Polls until the group has no living member; false if it still has one at `deadlineMs` (monotonic).
 *
 * The kernel does not reuse a group id while the group has members, and the pauses are too short for the ids to wrap
 * around, so the id means this group to the end.
 */
export async function groupEmpties(leaderPid: number, deadlineMs: number): Promise<boolean> {
  for (let pauseMs = FIRST_PAUSE_MS; signalGroup(leaderPid, 0); pauseMs *= 2) {
    // A signal also reaches zombies, which stay forever in a container without an init. Detecting them costs more.
    if (pauseMs >= CLOSE_LOOK_AFTER_PAUSE_MS && !hasLivingMember(leaderPid)) return true;
    const leftMs = deadlineMs - performance.now();
    if (leftMs <= 0) return false;
    await Bun.sleep(Math.min(pauseMs, LONGEST_PAUSE_MS, leftMs));
  }
  return true;
}

function hasLivingMember(leaderPid: number): boolean {
  return process.platform !== 'linux' || readdirSync('/proc').some((name) => isLivingMember(name, leaderPid));
}

function isLivingMember(pid: string, leaderPid: number): boolean {
  if (!/^\d/.test(pid)) return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may contain anything, also parentheses; state, parent and group follow it.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(group) === leaderPid && state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}
