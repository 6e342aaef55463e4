import { existsSync, readFileSync } from 'node:fs';
import unit from '../../deploy/systemd/svc-agent.service' with { type: 'text' };
import { Failure } from '../failure.ts';
import starter from '../starter/svc.yaml' with { type: 'text' };
import { writeRows } from '../terminal.ts';
import { type AgentFiles, type AgentInstallOptions, readSettings, tokenSteps } from './agent-settings.ts';
import { environmentText } from './environment-file.ts';
import { installForUser } from './launchd.ts';
import { requireRoot, serviceProgram } from './program.ts';
import { type InstalledService, pathIn, removalSteps, serviceSteps, start, untilWorking } from './service.ts';
import { emptyFolderStep, fileStep, type InstallStep, output, removalStep, runSteps } from './step.ts';

/** `svc agent install`: the agent as a service of the system, started and connected. */
export async function installAgent(options: AgentInstallOptions): Promise<void> {
  const isDryRun = options.dryRun === true;
  if (process.platform === 'darwin') return await installForUser(options);
  if (process.platform !== 'linux')
    throw new Failure('svc agent install knows Linux with systemd, and macOS');
  if (!isDryRun) requireRoot('svc agent install');
  const { root } = options;
  const files = filesIn(root);
  const service: InstalledService = {
    name: 'svc-agent',
    unit,
    user: 'svc',
    home: '/etc/svc',
    root,
    program: options.uninstall || isDryRun ? '/usr/local/bin/svc' : serviceProgram(root),
  };
  if (options.uninstall) return await uninstallAgent(service, isDryRun);
  const settings = readSettings(options, files);
  const steps: InstallStep[] = [
    ...serviceSteps(service),
    ...(settings.config === undefined ? [] : [fileStep(files.config, settings.config, 0o644)]),
    fileStep(
      files.environment,
      environmentText(files.environment, { SVC_BASE_URL: settings.baseUrl, SVC_AGENT_NAME: settings.name }),
      0o600,
    ),
    ...tokenSteps(settings, files.token),
  ];
  // A machine without systemd is found before an enrolment token is exchanged.
  if (root === '/' && !isDryRun) output(['systemctl', 'daemon-reload']);
  const hasChanged = await runSteps(steps, isDryRun);
  if (isDryRun) {
    writeRows(process.stdout, [
      { label: 'would', text: 'enable and start svc-agent, and wait until it is online' },
    ]);
    return;
  }
  const replaced = start(service, hasChanged);
  if (root !== '/') {
    writeRows(process.stdout, [{ label: 'enabled', text: `svc-agent in ${root}; nothing was started` }]);
    return;
  }
  await untilWorking(service, replaced, async (log) => /^online /m.test(log));
  writeRows(process.stdout, [
    { label: 'online', text: `agent "${settings.name}" at ${settings.baseUrl}` },
    { label: 'file', text: `${files.config}; a change needs no restart` },
    { label: 'log', text: 'journalctl -u svc-agent' },
  ]);
}

function filesIn(root: string): AgentFiles & { readonly state: string; readonly artifacts: string } {
  return {
    config: pathIn(root, '/etc/svc/svc.yaml'),
    token: pathIn(root, '/etc/svc/agent-token'),
    environment: pathIn(root, '/etc/svc/agent.env'),
    state: pathIn(root, '/var/lib/svc-agent'),
    artifacts: pathIn(root, '/var/lib/svc-agent-artifacts'),
  };
}

/** Removes everything but a config file that a person has changed. */
async function uninstallAgent(service: InstalledService, isDryRun: boolean): Promise<void> {
  const { config, token, environment, state, artifacts } = filesIn(service.root);
  const isOwn = existsSync(config) && readFileSync(config, 'utf8') !== starter;
  const steps = [
    ...removalSteps(service),
    ...[token, environment, state, artifacts, ...(isOwn ? [] : [config])].map(removalStep),
    emptyFolderStep(pathIn(service.root, '/etc/svc')),
  ];
  await runSteps(steps, isDryRun);
  if (isOwn) writeRows(process.stdout, [{ label: 'kept', text: `${config}, which is yours` }]);
}
