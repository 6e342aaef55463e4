import { Command } from 'commander';
import type { LogsOptions } from '../call/options.ts';
import { readId } from '../service/read-id.ts';

const HELP = `
Examples:
  svc logs                                        the newest executions
  svc logs --runs                                 the newest runs of pipelines
  svc logs 01a1f8f9-6cb9-71ed-a31e-d55e8abc609c   what it printed, and what it goes on to print
  svc logs 01a1f8f9-... --after 12.3              only what comes after this event

Environment: that of svc call.

Exit codes:
  0  it was shown to its end
  1  it failed, or its end is not known
  2  bad input`;

export function logsCommand(): Command {
  return new Command('logs')
    .description('show what an execution or a pipeline run printed, and follow it while it runs')
    .argument('[execution]', 'its id; without it the newest executions are listed', readId)
    .option('--runs', 'list runs of pipelines')
    .option('--after <event>', 'start after the event with this id')
    .option('--api-key <key>', 'the API key (default: $SVC_API_KEY)')
    .option('--base-url <url>', 'where the service is (default: $SVC_BASE_URL)')
    .option('--raw', 'let escape sequences through to the terminal, not only colours')
    .option('--json', 'print one JSON object per event, or per execution')
    .addHelpText('after', HELP)
    .action(async (execution: string | undefined, options: LogsOptions) => {
      const { logs } = await import('../call/logs.ts');
      await logs(execution, options);
    });
}
