import { Command } from 'commander';
import type { LogsOptions } from '../call/options.ts';
import { readCount } from '../resource/read-count.ts';
import { readPastTime } from '../resource/read-time.ts';
import { API_KEY_OPTION, withServiceOptions } from '../service/options.ts';
import { readId } from '../service/read-id.ts';

const HELP = `
Examples:
  svc logs                                        list the latest executions
  svc logs --status failed,timed_out --since 24h
  svc logs --endpoint deploy --limit 5
  svc logs --output 'connection refused'          search the output; the line is below each row
  svc logs -f                                     list executions as they begin and end
  svc logs --runs                                 list the latest pipeline runs
  svc logs 01a1f8f9-6cb9-71ed-a31e-d55e8abc609c   print the output and follow it
  svc logs 01a1f8f9-... --after 12.3              print only events after this one

A row has the id, the start, the state, the exit code, the duration, the endpoint and the caller.

Environment: as for svc call.

Exit codes:
  0  shown to the end
  1  the execution failed, or its end is unknown
  2  bad input`;

export function logsCommand(): Command {
  const command = new Command('logs')
    .argument('[execution]', 'the id; without an id, the latest executions are listed', readId)
    .option('--runs', 'list pipeline runs')
    .option('--status <states>', 'only executions in one of these states, such as failed,timed_out')
    .option('--endpoint <slug>', 'only executions of this endpoint; with --runs runs of this pipeline')
    .option('--output <words>', 'only executions whose output has all of these words')
    .option('--since <time>', 'only executions since then: 15m, 24h, 7d or an RFC 3339 time', readPastTime)
    .option('--limit <number>', 'the maximum number of executions to list (default: 20)', readCount)
    .option('-f, --follow', 'go on: list executions as they begin and end; with an id, the default')
    .option('--after <event>', 'start after the event with this id')
    .option(...API_KEY_OPTION)
    .option('--raw', 'print all escape sequences on the terminal, not only colours')
    .option('--json', 'print one JSON object per event, or per execution');
  return withServiceOptions(command)
    .addHelpText('after', HELP)
    .action(async (execution: string | undefined, options: LogsOptions) => {
      const { logs } = await import('../call/logs.ts');
      await logs(execution, options);
    });
}
