import { homedir } from 'node:os';
import { join } from 'node:path';
import { writeRows } from '../terminal.ts';
import { VERSION } from '../version.ts';
import { type AgentInstallOptions, readSettings, tokenSteps } from './agent-settings.ts';
import {
  commandStep,
  fileStep,
  folderStep,
  type InstallStep,
  output,
  removalStep,
  runSteps,
  succeeds,
} from './step.ts';

const LABEL = 'dev.svc.agent';

/** Where an agent of a person on macOS keeps its files. */
export interface LaunchdFiles {
  readonly plist: string;
  readonly config: string;
  readonly token: string;
  readonly environment: string;
  readonly state: string;
  readonly log: string;
}

export function launchdFiles(home: string): LaunchdFiles {
  const folder = join(home, 'Library/Application Support/svc');
  return {
    plist: join(home, `Library/LaunchAgents/${LABEL}.plist`),
    config: join(folder, 'svc.yaml'),
    token: join(folder, 'agent-token'),
    environment: join(folder, 'agent.env'),
    state: join(folder, 'agent'),
    log: join(home, 'Library/Logs/svc-agent.log'),
  };
}

/** `svc agent install` on macOS: a launch agent of the person, whose commands run as that person. */
export async function installForUser(options: AgentInstallOptions): Promise<void> {
  const files = launchdFiles(homedir());
  const domain = `gui/${process.getuid?.()}`;
  const isLoaded = () => succeeds(['launchctl', 'print', `${domain}/${LABEL}`]);
  const stop = commandStep(
    ['launchctl', 'bootout', `${domain}/${LABEL}`],
    () => !isLoaded(),
    'stop the agent',
  );
  if (options.uninstall) {
    await runSteps(
      [stop, ...[files.plist, files.token, files.environment, files.state].map(removalStep)],
      options.dryRun === true,
    );
    writeRows(process.stdout, [{ label: 'kept', text: files.config }]);
    return;
  }
  const settings = readSettings(options, files);
  const steps: InstallStep[] = [
    folderStep(join(files.config, '..'), 0o700),
    ...(settings.config === undefined ? [] : [fileStep(files.config, settings.config, 0o644)]),
    fileStep(files.environment, `SVC_BASE_URL=${settings.baseUrl}\nSVC_AGENT_NAME=${settings.name}\n`, 0o600),
    folderStep(join(files.plist, '..'), 0o755),
    fileStep(files.plist, plistText(files, { ...settings, program: process.execPath }), 0o644),
    ...tokenSteps(settings, files.token),
  ];
  const hasChanged = await runSteps(steps, options.dryRun === true);
  if (options.dryRun) return;
  if (hasChanged && isLoaded()) await stop.run();
  if (!isLoaded()) output(['launchctl', 'bootstrap', domain, files.plist]);
  writeRows(process.stdout, [
    { label: 'started', text: `agent "${settings.name}" for ${settings.baseUrl}, svc ${VERSION}` },
    { label: 'log', text: files.log },
  ]);
}

interface PlistValues {
  readonly program: string;
  readonly baseUrl: string;
  readonly name: string;
}

/** The property list of launchd.plist(5). The token is in a file, so neither arguments nor environment have it. */
export function plistText(files: LaunchdFiles, { program, baseUrl, name }: PlistValues): string {
  const words = [
    ...[program, 'agent', '--config', files.config, '--token-file', files.token],
    ...['--state-dir', files.state],
  ];
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${words.map((word) => `    <string>${escaped(word)}</string>\n`).join('')}  </array>
  <key>EnvironmentVariables</key>
  <dict>
    <key>SVC_BASE_URL</key>
    <string>${escaped(baseUrl)}</string>
    <key>SVC_AGENT_NAME</key>
    <string>${escaped(name)}</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>10</integer>
  <key>ExitTimeOut</key>
  <integer>3600</integer>
  <key>StandardOutPath</key>
  <string>${escaped(files.log)}</string>
  <key>StandardErrorPath</key>
  <string>${escaped(files.log)}</string>
</dict>
</plist>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
