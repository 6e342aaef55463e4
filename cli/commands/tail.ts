import { Command } from 'commander';
import type { TailOptions } from '../call/options.ts';
import { API_KEY_OPTION, withServiceOptions } from '../service/options.ts';

const HELP = `
Examples:
  svc tail                              every line of every execution, as it is printed
  svc tail --endpoint deploy
  svc tail --text error                 only lines with this text, in upper or lower case
  svc tail --stderr                     only stderr, of endpoints with "merge: false"
  svc tail --json | jq -r .data

An API key shows the executions that it started, an access token those of the workspace. The stream begins now and has
no history. Lines beyond its limits are left out and counted; svc logs ID has all of them.

Environment: as for svc call.

Exit codes:
  0  the program that reads its output has ended
  1  the connection was lost
  2  bad input`;

export function tailCommand(): Command {
  const command = new Command('tail')
    .option('--endpoint <slug>', 'only executions of this endpoint')
    .option('--agent <name>', 'only executions on this agent')
    .option('--stderr', 'only lines of stderr')
    .option('--text <text>', 'only lines that contain this text')
    .option(...API_KEY_OPTION)
    .option('--raw', 'print all escape sequences on the terminal, not only colours')
    .option('--json', 'print one JSON object per line');
  return withServiceOptions(command)
    .addHelpText('after', HELP)
    .action(async (options: TailOptions) => {
      const { tail } = await import('../call/tail.ts');
      await tail(options);
    });
}
