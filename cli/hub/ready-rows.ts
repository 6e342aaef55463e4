import { openAdmin } from '@svc/hub/admin/admin';
import type { HubConfig } from '@svc/hub/config';
import type { RunningHub } from '@svc/hub/main';
import type { FactRow } from '../terminal.ts';
import { VERSION } from '../version.ts';

/** The address of the hub and the next step, for a person who starts it at a terminal. */
export async function hubReadyRows(hub: RunningHub, config: HubConfig): Promise<FactRow[]> {
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
