import { unknownVariables } from '@svc/core/environment/variables';
import { printableConfig } from '@svc/hub/config';
import { writeRows } from '../terminal.ts';
import { untilSignals } from '../until-signals.ts';
import type { HubCommandOptions } from './options.ts';
import { hubConfig, startedHub } from './start.ts';

/** Executions continue on their agents without the hub; the hub waits only for open responses. */
const GRACE_MS = 30_000;

/** `svc hub`: runs until a signal stops it. A person at a terminal sees the address and the next step, a program the log. */
export async function hub(options: HubCommandOptions): Promise<void> {
  const config = hubConfig(options);
  if (options.printConfig) {
    process.stdout.write(`${JSON.stringify(printableConfig(config), null, 2)}\n`);
    return;
  }
  const isAtTerminal = process.stdout.isTTY === true;
  const logLevel = isAtTerminal && !process.env.SVC_LOG_LEVEL ? ('warn' as const) : config.logLevel;
  const starting = startedHub({ ...config, logLevel }, { warnings: unknownVariables(process.env) });
  // Before the start: a program may send a signal as soon as it reads the first log line.
  const stopped = untilSignals(async (signals) => {
    await (await starting).stop({ graceMs: signals === 1 ? GRACE_MS : 0 });
  });
  const started = await starting;
  if (isAtTerminal) {
    const { hubReadyRows: readyRows } = await import('./ready-rows.ts');
    writeRows(process.stdout, await readyRows(started, { ...config, hubUrl: started.hubUrl }));
  }
  await stopped;
}
