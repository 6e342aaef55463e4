import { Command } from 'commander';
import type { LogsOptions } from '../call/options.ts';
import { readId } from '../service/read-id.ts';

const HELP = `
Examples:
  svc logs                                        list the latest executions
  svc logs --runs                                 list the latest pipeline runs
  svc logs 01a1f8f9-6cb9-71ed-a31e-d55e8abc609c   print the output and follow it
  svc logs 01a1f8f9-... --after 12.3              print only events after this one

Environment: as for svc call.

Exit codes:
  0  shown to the end
  1  the execution failed, or its end is unknown
  2  bad input`;

export function logsCommand(): Command {
  return new Command('logs')
    .description('print and follow the output of an execution or a pipeline run')
    .argument('[execution]', 'the id; without an id, the latest executions are listed', readId)
    .option('--runs', 'list pipeline runs')
    .option('--after <event>', 'start after the event with this id')
    .option('--api-key <key>', 'the API key (default: $SVC_API_KEY)')
    .option('--base-url <url>', 'the URL of the service (default: $SVC_BASE_URL)')
    .option('--raw', 'print all escape sequences on the terminal, not only colours')
    .option('--json', 'print one JSON object per event, or per execution')
    .addHelpText('after', HELP)
    .action(async (execution: string | undefined, options: LogsOptions) => {
      const { logs } = await import('../call/logs.ts');
      await logs(execution, options);
    });
}
