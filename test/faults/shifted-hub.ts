// A process of a hub whose clock is ahead of that of the machine, so that tests need not wait for the next minute:
// bun shifted-hub.ts <milliseconds ahead>, configured by the environment. Says on stdout when it listens.
import { readHubConfig } from '@svc/hub/config';
import { startHub } from '@svc/hub/main';
import { systemClock } from '@svc/hub/platform/system-clock';
import type { Clock } from '@svc/hub/platform/world';

const aheadMs = Number(process.argv[2]);
const clock: Clock = {
  nowMs: () => Date.now() + aheadMs,
  at: (atMs, action) => systemClock.at(atMs - aheadMs, action),
};

const hub = await startHub({ config: readHubConfig(process.env), version: '0.0.0', clock });
process.stdout.write(`${hub.hubUrl}\n`);
