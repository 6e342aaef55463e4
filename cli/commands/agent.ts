import { Command } from 'commander';
import type { AgentOptions } from '../agent/options.ts';
import { readAgentName } from '../agent/options.ts';
import { DEFAULT_CONFIG } from '../config.ts';

const HELP = `
Examples:
  SVC_TOKEN=svc_at_… svc agent
  svc agent --name build --base-url https://svc.example.com
  svc agent --local-only               run nothing but what is in the config file

Environment:
  SVC_TOKEN     the agent token; unlike --token it is not in the list of processes
  SVC_BASE_URL  where the hub is, where --base-url does not say it

The config file is watched: a change is registered within a second, and a file with problems is not taken over.
Several agents of one name on one machine are a pool; each keeps its own journal in the state folder.

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
    .option('--token <token>', 'the agent token (default: $SVC_TOKEN)')
    .option('--local-only', 'refuse commands that are not in the config file')
    .option('--state-dir <folder>', 'where the journal is kept (default: ~/.local/state/svc/agent)')
    .option('--json', 'print one line of JSON for each event')
    .addHelpText('after', HELP)
    .action(async (options: AgentOptions) => {
      const { agent } = await import('../agent/agent.ts');
      await agent(options);
    });
}
