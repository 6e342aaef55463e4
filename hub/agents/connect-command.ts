import type { Settings } from '../platform/settings.ts';

/**
 * The shell line that installs `svc` on a machine and connects its agent. The token works once and for minutes, so the history
 * of the shell keeps nothing of use. A program that no release made cannot install itself elsewhere.
 */
export function connectCommand(
  { releasesUrl, hubUrl }: Pick<Settings, 'releasesUrl' | 'hubUrl'>,
  enrolmentToken: string,
  agentName: string | undefined,
): string {
  const install =
    releasesUrl === undefined ? '' : `curl -fsSL ${quoted(`${releasesUrl}/latest/install.sh`)} | sudo sh && `;
  // Each agent token has a name of its own, so each machine needs another one than `default`.
  const name = agentName === undefined ? '"$(uname -n)"' : quoted(agentName);
  const options = `--base-url ${quoted(hubUrl)} --name ${name} --token-file -`;
  return `${install}echo ${enrolmentToken} | sudo svc agent install ${options}`;
}

/** One word of a POSIX shell. */
function quoted(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
