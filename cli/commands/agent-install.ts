import { Command } from 'commander';
import { readAgentName } from '../agent/options.ts';
import type { AgentInstallOptions } from '../install/agent-settings.ts';

const HELP = `
Examples:
  svc agent install --base-url https://svc.example.com --token-file agent-token
  svc agent install --dry-run --base-url https://svc.example.com --token-file agent-token
  svc agent install --config svc.yaml --force      replace the installed config file
  svc agent install --uninstall

On Linux with systemd, as root: makes the user svc, writes /etc/svc/svc.yaml (a starter file, unless there is one),
/etc/svc/agent-token (mode 0600, which systemd passes on as a credential), /etc/svc/agent.env and the hardened unit, starts
the service and waits until the agent is online. On macOS: a launch agent of the person who runs it.

A second run changes only what is different. Without --token-file the installed token stays.

Exit codes:
  0  the agent is online, or with --uninstall removed
  1  the agent did not come online within 30 seconds, or a failure at run time
  2  bad input: an option, the config file, the token; nothing was changed`;

export function agentInstallCommand(): Command {
  return new Command('install')
    .description('install the agent as a service of this machine')
    .option('-c, --config <file>', 'a config file to copy (default: the installed one, else a starter file)')
    .option(
      '-n, --name <name>',
      'the name of the agent (default: the installed one, else default)',
      readAgentName,
    )
    .option('--base-url <url>', 'the URL of the hub (default: the installed one, or $SVC_BASE_URL)')
    .option('--token-file <file>', 'a file with the agent token, - for standard input')
    .option('-f, --force', 'replace an installed config file that is different')
    .option('--root <folder>', 'install into the image of a system in this folder; nothing is started', '/')
    .option('--dry-run', 'print what would be done, and change nothing')
    .option('--uninstall', 'stop the agent and remove everything but a config file of your own')
    .addHelpText('after', HELP)
    .action(async (options: AgentInstallOptions) => {
      const { installAgent } = await import('../install/agent.ts');
      await installAgent(options);
    });
}
