import unit from '../../deploy/systemd/svc-hub.service' with { type: 'text' };
import { Failure } from '../failure.ts';
import { localHubUrl } from '../hub/local-hub-url.ts';
import { writeRows } from '../terminal.ts';
import { environmentText, valueIn } from './environment-file.ts';
import { requireRoot, serviceProgram } from './program.ts';
import { type InstalledService, pathIn, removalSteps, serviceSteps, start, untilWorking } from './service.ts';
import { fileStep, runSteps } from './step.ts';

export interface HubInstallOptions {
  readonly hubUrl?: string;
  readonly port?: number;
  readonly host?: string;
  readonly root: string;
  readonly dryRun?: true;
  readonly uninstall?: true;
}

const DEFAULT_PORT = '8787';
const HEALTH_TIMEOUT_MS = 5_000;

/** `svc hub install`: the hub as a service of the system, started and healthy. */
export async function installHub(options: HubInstallOptions): Promise<void> {
  const { root, hubUrl, host, port } = options;
  const isDryRun = options.dryRun === true;
  if (process.platform !== 'linux') throw new Failure('svc hub install knows Linux with systemd');
  if (!isDryRun) requireRoot('svc hub install');
  const service: InstalledService = {
    name: 'svc-hub',
    unit,
    user: 'svc-hub',
    home: '/var/lib/svc-hub',
    root,
    program: options.uninstall || isDryRun ? '/usr/local/bin/svc' : serviceProgram(root),
  };
  const environment = pathIn(root, '/etc/svc/hub.env');
  if (options.uninstall) {
    await runSteps(removalSteps(service), isDryRun);
    const kept = `${environment} and ${pathIn(root, service.home)}, with all data and keys; remove them by hand`;
    writeRows(process.stdout, [{ label: 'kept', text: kept }]);
    return;
  }
  const address = hubUrl ?? valueIn(environment, 'SVC_HUB_URL');
  if (address === undefined || !URL.canParse(address))
    throw new Failure('--hub-url is missing: the address under which callers and agents reach the hub', {
      tip: 'svc hub install --hub-url https://svc.example.com',
    });
  const values = {
    SVC_HUB_URL: address,
    SVC_HOST: host,
    SVC_PORT: port === undefined ? undefined : String(port),
  };
  const steps = [
    ...serviceSteps(service),
    fileStep(environment, environmentText(environment, values), 0o600),
  ];
  const hasChanged = await runSteps(steps, isDryRun);
  if (isDryRun) {
    writeRows(process.stdout, [
      { label: 'would', text: 'enable and start svc-hub, and wait until it is healthy' },
    ]);
    return;
  }
  const replaced = start(service, hasChanged);
  if (root !== '/') {
    writeRows(process.stdout, [{ label: 'enabled', text: `svc-hub in ${root}; nothing was started` }]);
    return;
  }
  const local = urlOnThisMachine(environment);
  await untilWorking(service, replaced, async () => await isHealthy(local));
  writeRows(process.stdout, [
    { label: 'healthy', text: `${address}, here ${local}` },
    {
      label: 'next',
      text: `runuser -u svc-hub -- env SVC_DATA_DIR=/var/lib/svc-hub svc admin bootstrap you@example.com --username you --hub-url ${address}`,
    },
    { label: 'settings', text: `${environment}; after a change: systemctl restart svc-hub` },
    { label: 'log', text: 'journalctl -u svc-hub' },
  ]);
}

/** The address of the hub for programs on this machine, by the file of its settings. */
export function urlOnThisMachine(environment: string): string {
  return localHubUrl(
    valueIn(environment, 'SVC_HOST') ?? '127.0.0.1',
    valueIn(environment, 'SVC_PORT') ?? DEFAULT_PORT,
  );
}

export async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) })).ok;
  } catch {
    return false;
  }
}
