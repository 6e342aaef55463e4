import { unknownVariables } from '@svc/core/environment/variables';
import { printableConfig } from '@svc/hub/config';
import { untilSignals } from '../until-signals.ts';
import type { HubCommandOptions } from './options.ts';
import { hubConfig, startedHub } from './start.ts';

/** Executions go on with their agents when the hub has gone; only answers under way are waited for. */
const GRACE_MS = 30_000;

/** `svc hub`: settles when a signal has stopped it. */
export async function hub(options: HubCommandOptions): Promise<void> {
  const config = hubConfig(options);
  if (options.printConfig) {
    process.stdout.write(`${JSON.stringify(printableConfig(config), null, 2)}\n`);
    return;
  }
  const starting = startedHub(config, { warnings: unknownVariables(process.env) });
  // From the beginning: its first log line is already read by programs that may stop it.
  const stopped = untilSignals(async (signals) => {
    await (await starting).stop({ graceMs: signals === 1 ? GRACE_MS : 0 });
  });
  await starting;
  await stopped;
}
