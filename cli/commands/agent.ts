import { Command } from 'commander';
import {
  type HostOptions,
  readCapacity,
  readEngineKind,
  readRunnerKind,
  readWaiting,
} from '../agent/host-options.ts';
import { type AgentOptions, readAgentName } from '../agent/options.ts';
import { DEFAULT_CONFIG } from '../config.ts';
import type { AgentInstallOptions } from '../install/agent-settings.ts';

const HELP = `
Examples:
  svc agent --token-file agent-token
  svc agent --name build --base-url https://svc.example.com
  svc agent --run-as nobody            as root: commands cannot read what the agent can
  svc agent --local-only               run only commands in the config file, and verify approvals
  svc agent --runner container --token-file runner-token
  svc agent install --help             install it as a service of this machine

Environment:
  SVC_TOKEN_FILE  a file with the agent token or runner token, without --token-file
  SVC_TOKEN       the token itself; the agent restarts without it, so that commands cannot read it
  SVC_BASE_URL    the URL of the hub, without --base-url
  SVC_AGENT_NAME  the name of the agent, without --name
  DOCKER_HOST     the socket of Docker or Podman, for --engine docker (default: unix:///var/run/docker.sock)

The agent watches the config file: a change is registered within a second, and a file with problems is not applied.
Several agents with one name on one machine are a pool; each keeps its own journal in the state folder.

With --runner container the agent is a host of the hosted runner: it has no config file and runs the hosted executions of
all workspaces in fresh containers. This is for operators, see docs/operate/hosting.md.

SIGTERM and SIGINT stop the agent: it starts nothing new, and running commands may finish. A second signal ends them at once.

Exit codes:
  0  stopped by a signal
  1  the hub refused the agent after a connection, or a failure at run time
  2  bad input: an option, the config file, the token`;

export function agentCommand(): Command {
  return new Command('agent')
    .enablePositionalOptions()
    .addCommand(agentInstallCommand())
    .option('-c, --config <file>', 'the config file', DEFAULT_CONFIG)
    .option('-n, --name <name>', 'the name of the agent (default: $SVC_AGENT_NAME or default)', readAgentName)
    .option('--base-url <url>', 'the URL of the hub (default: $SVC_BASE_URL or http://127.0.0.1:8787)')
    .option(
      '--token-file <file>',
      'a file with the agent token, - for standard input (default: $SVC_TOKEN_FILE)',
    )
    .option('--token <token>', 'the agent token (default: $SVC_TOKEN)')
    .option('--local-only', 'refuse commands that are not in the config file')
    .option('--run-as <user>', 'run commands as this user (default: the user of the agent); needs root')
    .option(
      '--accept-approvals-of-hub',
      'with --local-only: accept approvals that the hub reports without a signature',
    )
    .option('--state-dir <folder>', 'the folder of the journal (default: ~/.local/state/svc/agent)')
    .option(
      '--runner <kind>',
      'the runner of commands: process, or container for the hosted runner',
      readRunnerKind,
    )
    .option(
      '--capacity <number>',
      'concurrent containers (default: as many as the memory allows)',
      readCapacity,
    )
    .option(
      '--waiting <number>',
      'containers started ahead, at most (default: the capacity, if they fit in a twentieth of the memory)',
      readWaiting,
    )
    .option(
      '--image <folder>',
      'the image of svc admin runner-image build (default: in the data folder of the hub)',
    )
    .option(
      '--engine <kind>',
      'the container engine: oci or docker (default: oci if available)',
      readEngineKind,
    )
    .option('--runtime <program>', 'the OCI runtime, such as crun or runsc (default: crun)')
    .option('--network-namespace <path>', 'oci: the network of allowed workspaces')
    .option('--docker-network <name>', 'docker: the network of allowed workspaces')
    .option('--json', 'print one JSON line for each event')
    .addHelpText('after', HELP)
    .action(async (options: AgentOptions & HostOptions) => {
      if (options.runner === 'container') {
        const { host } = await import('../agent/host.ts');
        return await host(options);
      }
      const { agent } = await import('../agent/agent.ts');
      await agent(options);
    });
}

const INSTALL_HELP = `
Examples:
  svc agent install --base-url https://svc.example.com --token-file agent-token
  svc agent install --dry-run --base-url https://svc.example.com --token-file agent-token
  svc agent install --config svc.yaml --force      replace the installed config file
  echo svc_et_… | svc agent install --base-url https://svc.example.com --token-file -
  svc agent install --uninstall

On Linux with systemd, as root: makes the user svc, writes /etc/svc/svc.yaml (a starter file, unless there is one),
/etc/svc/agent-token (mode 0600, which systemd passes on as a credential), /etc/svc/agent.env and the hardened unit, starts
the service and waits until the agent is online. On macOS: a launch agent of the person who runs it.

An enrolment token (svc_et_…, of svc tokens create NAME --enrolment or of the page Agents) is exchanged for the agent token,
once and within 15 minutes. The line that contains it is of no use afterwards.

A second run changes only what is different. Without --token-file the installed token stays.

Exit codes:
  0  the agent is online, or with --uninstall removed
  1  the agent did not come online within 30 seconds, or a failure at run time
  2  bad input: an option, the config file, the token; nothing was changed`;

function agentInstallCommand(): Command {
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
    .addHelpText('after', INSTALL_HELP)
    .action(async (options: AgentInstallOptions) => {
      const { installAgent } = await import('../install/agent.ts');
      await installAgent(options);
    });
}
