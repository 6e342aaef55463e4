import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT, Failure } from '../failure.ts';
import {
  commandStep,
  fileStep,
  folderStep,
  type InstallStep,
  output,
  removalStep,
  succeeds,
} from './step.ts';

/** A service of systemd on this machine, or in an image below `root`. */
export interface InstalledService {
  /** `svc-agent` or `svc-hub`. */
  readonly name: string;
  /** The text of deploy/systemd. */
  readonly unit: string;
  readonly user: string;
  readonly home: string;
  /** The folder of an image; `/` is this machine. */
  readonly root: string;
  /** The program that the unit starts. */
  readonly program: string;
}

const MARK = '# Written by svc install; svc install --uninstall removes it.';
const PROGRAM = '/usr/local/bin/svc';
const PACKAGED = ['/usr/lib/systemd/system', '/lib/systemd/system'];
/** How long a service may take until it works. */
const START_MS = 30_000;
const POLL_MS = 200;

/** A path of the machine, below the root of the image. */
export function pathIn(root: string, path: string): string {
  return root === '/' ? path : join(root, path);
}

/** The user, the folder of settings and the unit, which a package may have brought already. */
export function serviceSteps(service: InstalledService): InstallStep[] {
  const { root, user, home, name } = service;
  const isPackaged = PACKAGED.some((folder) => existsSync(pathIn(root, `${folder}/${name}.service`)));
  const addUser = [
    'useradd',
    ...(root === '/' ? [] : ['--prefix', root]),
    ...['--system', '--user-group', '--no-create-home', '--home-dir', home],
    ...['--shell', '/usr/sbin/nologin', user],
  ];
  return [
    commandStep(addUser, () => hasEntry(root, 'passwd', user), `make the system user ${user}`),
    folderStep(pathIn(root, '/etc/svc'), 0o755),
    ...(isPackaged ? [] : [fileStep(unitPath(service), unitText(service), 0o644)]),
  ];
}

/** Stops the service and removes its unit and its user. The user of a package belongs to the package. */
export function removalSteps(service: InstalledService): InstallStep[] {
  const { root, name, user } = service;
  const isOurs = existsSync(unitPath(service)) && readFileSync(unitPath(service), 'utf8').startsWith(MARK);
  const packaged = existsSync(pathIn(root, '/usr/lib/sysusers.d/svc.conf'));
  const prefix = root === '/' ? [] : ['--prefix', root];
  return [
    commandStep(
      [...systemctl(root), 'disable', ...(root === '/' ? ['--now'] : []), `${name}.service`],
      () => !isEnabledOrActive(service),
      `stop and disable ${name}`,
    ),
    ...(isOurs ? [removalStep(unitPath(service))] : []),
    ...(root === '/'
      ? [
          commandStep(['systemctl', 'daemon-reload'], () => !isOurs),
          commandStep(
            ['systemctl', 'reset-failed', `${name}.service`],
            () => propertyOf(name, 'ActiveState') !== 'failed',
          ),
        ]
      : []),
    ...(packaged
      ? []
      : [
          commandStep(
            ['userdel', ...prefix, user],
            () => !hasEntry(root, 'passwd', user),
            `remove the user ${user}`,
          ),
          // Most systems remove it with its user.
          commandStep(
            ['groupdel', ...prefix, user],
            () => !hasEntry(root, 'group', user),
            `remove the group ${user}`,
          ),
        ]),
  ];
}

/**
 * Enables and starts the service; restarts it if its settings have changed. Returns the id of the process that is replaced,
 * as systemd calls it, or undefined.
 */
export function start({ root, name }: InstalledService, hasChanged: boolean): string | undefined {
  const unit = `${name}.service`;
  output([...systemctl(root), 'enable', '--quiet', unit]);
  if (root !== '/') return undefined;
  output(['systemctl', 'daemon-reload']);
  const replaced = hasChanged ? propertyOf(name, 'InvocationID') : undefined;
  // An agent lets its commands finish before it starts again, so nothing waits for the end of that here.
  output(['systemctl', hasChanged ? 'restart' : 'start', '--no-block', unit]);
  return replaced;
}

/**
 * Waits until the service works, and not the process that it replaces. Throws a `Failure` with the end of its log if it
 * stops or takes too long.
 */
export async function untilWorking(
  { name }: Pick<InstalledService, 'name'>,
  replaced: string | undefined,
  works: (log: string) => Promise<boolean>,
  timeoutMs = START_MS,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const id = propertyOf(name, 'InvocationID');
    const log = id === '' || id === replaced ? '' : logOf(id);
    if (log !== '' && (await works(log))) return;
    const state = propertyOf(name, 'ActiveState');
    if (state === 'failed' || Date.now() > deadline)
      throw new Failure(`${name} does not work: it is ${state}`, {
        details: log.trimEnd().split('\n').slice(-10),
        tip: `journalctl -u ${name}`,
        exitCode: EXIT.failed,
      });
    await Bun.sleep(POLL_MS);
  }
}

/** What the service printed since that start. */
function logOf(invocation: string): string {
  return output(['journalctl', '--quiet', '--output=cat', `_SYSTEMD_INVOCATION_ID=${invocation}`]);
}

function unitPath({ root, name }: InstalledService): string {
  return pathIn(root, `/etc/systemd/system/${name}.service`);
}

/** The unit without the comment at its start, which says how to install it by hand. */
function unitText({ unit, program }: InstalledService): string {
  return `${MARK}\n${unit.slice(unit.indexOf('[Unit]')).replaceAll(PROGRAM, program)}`;
}

function isEnabledOrActive({ root, name }: InstalledService): boolean {
  const isActive = root === '/' && propertyOf(name, 'ActiveState') !== 'inactive';
  return isActive || succeeds([...systemctl(root), 'is-enabled', '--quiet', `${name}.service`]);
}

/** A property of a unit, as systemd prints it. */
export function propertyOf(name: string, property: 'ActiveState' | 'ExecStart' | 'InvocationID'): string {
  return output(['systemctl', 'show', '--value', `--property=${property}`, `${name}.service`]).trim();
}

function systemctl(root: string): string[] {
  return root === '/' ? ['systemctl'] : ['systemctl', `--root=${root}`];
}

/** Whether the database, `passwd` or `group`, has an entry with this name. */
function hasEntry(root: string, database: 'passwd' | 'group', name: string): boolean {
  if (root === '/') return succeeds(['getent', database, name]);
  return new RegExp(`^${name}:`, 'm').test(readFileSync(pathIn(root, `/etc/${database}`), 'utf8'));
}
