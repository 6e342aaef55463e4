import { unknownVariables } from '@svc/core/environment/variables';
import { type HubConfig, printableConfig } from '@svc/hub/config';
import type { RunningHub } from '@svc/hub/main';
import { readServiceManager } from '@svc/hub/platform/http/socket-keeper';
import { type FactRow, writeRows } from '../terminal.ts';
import { untilSignals } from '../until-signals.ts';
import { VERSION } from '../version.ts';
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
  const starting = startedHub(
    { ...config, logLevel },
    {
      warnings: unknownVariables(process.env),
      serviceManager: readServiceManager(process.env, process.pid),
    },
  );
  // Before the start: a program may send a signal as soon as it reads the first log line.
  const stopped = untilSignals(async (signals) => {
    await (await starting).stop({ graceMs: signals === 1 ? GRACE_MS : 0 });
  });
  const started = await starting;
  if (isAtTerminal) {
    writeRows(process.stdout, await hubReadyRows(started, { ...config, hubUrl: started.hubUrl }));
  }
  await stopped;
}

/** The address of the hub and the next step, for a person who starts it at a terminal. */
async function hubReadyRows(hub: RunningHub, config: HubConfig): Promise<FactRow[]> {
  const next = (await hasAccounts(config))
    ? { label: 'sign in', text: `${hub.hubUrl}/dashboard` }
    : { label: 'next', text: `${firstStep(hub, config)}  (in another terminal)` };
  return [
    { label: `svc ${VERSION}`, text: `hub at ${hub.hubUrl}` },
    { label: 'data', text: config.databaseUrl === undefined ? config.dataDir : 'PostgreSQL' },
    next,
    { label: 'log', text: 'warnings only; SVC_LOG_LEVEL=info shows all' },
    { label: 'stop', text: 'Ctrl-C' },
  ];
}

async function hasAccounts(config: HubConfig): Promise<boolean> {
  const { openAdmin } = await import('@svc/hub/admin/admin');
  await using admin = await openAdmin(config);
  for await (const _ of admin.users()) return true;
  return false;
}

/** The command finds the data by the same environment; only an address of the options must be repeated. */
function firstStep({ hubUrl }: RunningHub, { dataDir }: HubConfig): string {
  const { SVC_DATA_DIR } = process.env;
  const where = SVC_DATA_DIR ? `SVC_DATA_DIR=${dataDir} ` : '';
  return `${where}svc admin bootstrap you@example.com --username you --hub-url ${hubUrl}`;
}

export interface HubCommandOptions {
  readonly port?: number;
  readonly host?: string;
  readonly printConfig?: true;
}
