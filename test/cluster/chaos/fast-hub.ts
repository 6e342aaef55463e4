// A process of a hub for which time passes faster, so that minutes begin and leases of other hubs expire within a test. All
// hubs of a test agree on the time: bun fast-hub.ts <times> <hub's time at the beginning, ms> <real time of the beginning, ms>,
// configured by the environment. It prints a line on stdout when it listens. On SIGUSR1 its clock jumps ahead, or back again;
// on SIGUSR2 it collects garbage and prints the size of its heap.
import { readHubConfig } from '@svc/hub/config';
import { startHub } from '@svc/hub/main';
import { systemClock } from '@svc/hub/platform/system-clock';
import type { Clock } from '@svc/hub/platform/world';

/** More than a minute of schedules, and long enough for every lease to expire. */
const JUMP_MS = 90_000;

const [times = 1, fromMs = 0, sinceMs = 0] = process.argv.slice(2).map(Number);
let aheadMs = 0;
const nowMs = () => Math.floor(fromMs + aheadMs + (Date.now() - sinceMs) * times);
const clock: Clock = {
  nowMs,
  at: (atMs, action) => systemClock.at(Date.now() + (atMs - nowMs()) / times, action),
};

const hub = await startHub({ config: readHubConfig(process.env), version: '0.0.0', clock });
process.stdout.write(`${hub.hubUrl}\n`);
process.on('SIGUSR1', () => {
  aheadMs = aheadMs === 0 ? JUMP_MS : 0;
});
process.on('SIGUSR2', () => {
  Bun.gc(true);
  process.stdout.write(`heap ${process.memoryUsage().heapUsed}\n`);
});
