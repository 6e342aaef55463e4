import { Command } from 'commander';
import {
  type HostOptions,
  readCapacity,
  readEngineKind,
  readRunnerKind,
  readWaiting,
} from '../agent/host-options.ts';
import type { AgentOptions } from '../agent/options.ts';
import { readAgentName } from '../agent/options.ts';
import { DEFAULT_CONFIG } from '../config.ts';

const HELP = `
Examples:
  svc agent --token-file agent-token
  svc agent --name build --base-url https://svc.example.com
  svc agent --run-as nobody            as root: commands cannot read what the agent can
  svc agent --local-only               run nothing but what is in the config file, and check approvals itself
  svc agent --runner container --token-file runner-token

Environment:
  SVC_TOKEN_FILE  a file with the agent token, or the runner token, where --token-file does not say it
  SVC_TOKEN       the token itself; the agent starts itself again without it, so that commands cannot read it
  SVC_BASE_URL    where the hub is, where --base-url does not say it
  DOCKER_HOST     where Docker or Podman listens, for --engine docker (default: unix:///var/run/docker.sock)

The config file is watched: a change is registered within a second, and a file with problems is not taken over.
Several agents of one name on one machine are a pool; each keeps its own journal in the state folder.

With --runner container it is a host of the hosted runner: it has no config file, and runs in fresh containers what all
workspaces have for it. That is for operators: docs/operate/hosting.md.

SIGTERM and SIGINT stop it: nothing new is started, and what runs may finish. A second signal ends it at once.

Exit codes:
  0  stopped by a signal
  1  the hub refused it after it had been connected, or something failed
  2  bad input: an option, the config file, the token`;

export function agentCommand(): Command {
  return new Command('agent')
    .description('connect to a hub, and run the endpoints of a config file when they are called')
    .option('-c, --config <file>', 'the config file', DEFAULT_CONFIG)
    .option('-n, --name <name>', 'the name of the agent', readAgentName, 'default')
    .option('--base-url <url>', 'where the hub is (default: $SVC_BASE_URL or http://127.0.0.1:8787)')
    .option(
      '--token-file <file>',
      'a file with the agent token, - for standard input (default: $SVC_TOKEN_FILE)',
    )
    .option('--token <token>', 'the agent token (default: $SVC_TOKEN)')
    .option('--local-only', 'refuse commands that are not in the config file')
    .option('--run-as <user>', 'run commands as this user (default: the user of the agent); needs root')
    .option(
      '--accept-approvals-of-hub',
      'with --local-only: run endpoints that need an approval when the hub says that they have one',
    )
    .option('--state-dir <folder>', 'where the journal is kept (default: ~/.local/state/svc/agent)')
    .option(
      '--runner <kind>',
      'what runs commands: process, or container for the hosted runner',
      readRunnerKind,
    )
    .option('--capacity <number>', 'containers at a time (default: what the memory allows)', readCapacity)
    .option(
      '--waiting <number>',
      'containers started ahead, at most (default: the capacity, if a twentieth of the memory holds them)',
      readWaiting,
    )
    .option('--image <folder>', 'the image of svc admin runner-image build (default: in the data of the hub)')
    .option(
      '--engine <kind>',
      'what makes containers: oci or docker (default: oci where it can run)',
      readEngineKind,
    )
    .option('--runtime <program>', 'the OCI runtime, such as crun or runsc (default: crun)')
    .option('--network-namespace <path>', 'oci: the network of workspaces that may have one')
    .option('--docker-network <name>', 'docker: the network of workspaces that may have one')
    .option('--json', 'print one line of JSON for each event')
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
