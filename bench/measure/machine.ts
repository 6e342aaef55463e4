import { cpus, release, totalmem } from 'node:os';

/** The facts that a reader needs to weigh the figures; nothing that names the machine or its folders. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly kernel: string;
  readonly memoryGiB: number;
  readonly bun: string;
  /** How much of all cores others used just before: figures of a machine that was not idle are to be read with care. */
  readonly busyBeforePercent: number;
}

const POLL_MS = 1000;
const CALM_PERCENT = 10;
const CALM_MS = 5000;

/** Takes a second to measure how idle the machine is. Call it before the first measurement. */
export async function machineFacts(): Promise<Machine> {
  const busyPercent = await watchCores(POLL_MS);
  const cores = cpus();
  return {
    cores: cores.length,
    processor: cores[0]?.model ?? 'unknown',
    kernel: release(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    bun: Bun.version,
    busyBeforePercent: Math.round(busyPercent),
  };
}

/** Waits until others have used less than a tenth of all cores for five seconds. */
export async function untilCalm(): Promise<void> {
  while ((await watchCores(CALM_MS)) >= CALM_PERCENT);
}

async function watchCores(forMs: number): Promise<number> {
  const before = timesOfCores();
  await Bun.sleep(forMs);
  const after = timesOfCores();
  const busyMs = after.busyMs - before.busyMs;
  const idleMs = after.idleMs - before.idleMs;
  return (100 * busyMs) / (busyMs + idleMs);
}

/** Bun reads the times when they are accessed, not when `cpus` is called. */
function timesOfCores() {
  const times = cpus().map((core) => core.times);
  const busyMs = times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, 0);
  const idleMs = times.reduce((sum, { idle }) => sum + idle, 0);
  return { busyMs, idleMs };
}
