import { unknownVariables } from '@svc/core/environment/variables';
import { printableConfig } from '@svc/hub/config';
import { untilSignals } from '../until-signals.ts';
import type { HubCommandOptions } from './options.ts';
import { hubConfig, startedHub } from './start.ts';

/** Executions continue on their agents without the hub; the hub waits only for open responses. */
const GRACE_MS = 30_000;

/** `svc hub`: runs until a signal stops it. */
export async function hub(options: HubCommandOptions): Promise<void> {
  const config = hubConfig(options);
  if (options.printConfig) {
    process.stdout.write(`${JSON.stringify(printableConfig(config), null, 2)}\n`);
    return;
  }
  const starting = startedHub(config, { warnings: unknownVariables(process.env) });
  // Before the start: a program may send a signal as soon as it reads the first log line.
  const stopped = untilSignals(async (signals) => {
    await (await starting).stop({ graceMs: signals === 1 ? GRACE_MS : 0 });
  });
  await starting;
  await stopped;
}
