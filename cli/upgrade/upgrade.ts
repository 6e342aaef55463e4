import { existsSync, realpathSync } from 'node:fs';
import { EXIT, Failure } from '../failure.ts';
import { type FactRow, writeRows } from '../terminal.ts';
import { VERSION } from '../version.ts';
import { type AgentService, runningAgentService, runsProgram } from './agent-service.ts';
import { refusePackaged, releaseOrigin } from './origin.ts';
import { type ReleaseSource, readRelease } from './release.ts';
import {
  previousOf,
  removeOldPrograms,
  replace,
  requireReplaceable,
  restore,
  type StagedProgram,
  stage,
} from './replace.ts';

export interface UpgradeOptions {
  /** The version to install, which may be an earlier one. */
  readonly to?: string;
  /** Only says whether there is a newer version. */
  readonly check?: true;
}

/** `svc upgrade`. */
export async function upgrade(options: UpgradeOptions): Promise<void> {
  const { target, ...source } = releaseOrigin(process.env);
  const program = realpathSync(process.execPath);
  refusePackaged(program);
  const rows = await upgradeProgram({
    program,
    version: VERSION,
    target,
    source,
    service: options.check ? undefined : runningAgentService(program),
    ...options,
  });
  writeRows(process.stdout, options.check ? rows : [...rows, ...othersRunning(program)]);
}

export interface UpgradeSettings extends UpgradeOptions {
  /** The installed file. */
  readonly program: string;
  /** Its version. */
  readonly version: string;
  readonly target: string;
  readonly source: ReleaseSource;
  /** The agent that runs from the program, if there is one. */
  readonly service: AgentService | undefined;
}

/**
 * Replaces a program by the newest release. Returns what was done. Throws a `Failure` that says why not; then the program and
 * its agent are as they were.
 */
export async function upgradeProgram(settings: UpgradeSettings): Promise<FactRow[]> {
  const { program, version, target, source, service, to, check } = settings;
  if (to !== undefined && !/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/.test(to))
    throw new Failure(`version "${to}": one as 1.2.3 expected`);
  const release = await readRelease(source, to);
  const order = Bun.semver.order(release.version, version);
  if (to === undefined && order <= 0)
    return [{ label: 'newest', text: newestText(version, release.version) }];
  if (check) return [{ label: 'newer', text: `svc ${release.version}; this is ${version}` }];
  requireReplaceable(program);
  removeOldPrograms(program);
  using staged = stage(program, await release.programFor(target));
  requireStarts(staged, release.version);
  if (service === undefined) replace(program, staged);
  else await replaceUnder(service, program, staged, version);
  return [
    { label: 'upgraded', text: `${program} from ${version} to ${release.version}` },
    { label: 'kept', text: `${previousOf(program)}, svc ${version}` },
  ];
}

function newestText(version: string, offered: string): string {
  return version === offered
    ? `svc ${version} is the newest release`
    : `svc ${version} is newer than the newest release, ${offered}; svc upgrade --to ${offered} installs that one`;
}

/** Throws a `Failure` if the program does not start on this machine, such as one for another C library. */
function requireStarts({ path }: StagedProgram, version: string): void {
  let said = '';
  try {
    const { stdout, stderr } = Bun.spawnSync([path, '--version'], { stdin: 'ignore', stderr: 'pipe' });
    said = `${stdout}${stderr}`.trim();
  } catch (error) {
    said = (error as Error).message;
  }
  if (said !== version)
    throw new Failure(`svc ${version} does not start here (${said.slice(0, 200)}): nothing was changed`, {
      exitCode: EXIT.failed,
    });
}

/**
 * Replaces the program of a running agent. A second agent from the new program takes calls before the first one stops, and
 * until the service has started again. Puts the replaced program back if the service does not.
 */
async function replaceUnder(
  service: AgentService,
  program: string,
  staged: StagedProgram,
  version: string,
): Promise<void> {
  let beside: AsyncDisposable;
  try {
    beside = await service.startBeside(staged.path);
  } catch (cause) {
    throw rolledBack('the hub did not greet an agent of the new version', version, cause);
  }
  await using _untilDone = beside;
  replace(program, staged);
  try {
    await service.restart();
  } catch (cause) {
    restore(program);
    await service.restart();
    throw rolledBack('the service did not start with the new version', version, cause);
  }
}

function rolledBack(message: string, version: string, cause: unknown): Failure {
  const details = cause instanceof Failure ? [...cause.details, cause.message] : [];
  const failure = new Failure(`${message}: svc ${version} runs as before`, {
    exitCode: EXIT.failed,
    details,
    tip: 'journalctl -u svc-agent -u svc-agent-upgrade',
  });
  failure.cause = cause;
  return failure;
}

/** The other services that run the replaced program until they start again. */
function othersRunning(program: string): FactRow[] {
  if (process.platform === 'darwin')
    return [
      { label: 'next', text: `launchctl kickstart -k gui/${process.getuid?.()}/dev.svc.agent, if it runs` },
    ];
  if (!existsSync('/run/systemd/system')) return [];
  return ['svc-hub', 'svc-runner']
    .filter((unit) => runsProgram(unit, program))
    .map((unit) => ({ label: 'next', text: `systemctl restart ${unit}: it runs the earlier version` }));
}
