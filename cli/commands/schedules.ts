import { Command } from 'commander';
import type { ServiceOptions } from '../service/options.ts';

const HELP = `
Examples:
  svc schedules                       every endpoint that runs by itself, and when next
  svc schedules pause backup          no more fires until it is resumed; calls go on
  svc schedules resume backup
  svc schedules next "0 3 * * 1-5"    what an expression means, and its next five fires; asks nobody

Environment:
  SVC_BASE_URL  where the service is (default: http://127.0.0.1:8787)

The credential is what svc login has kept for the service: an API key may not do this. Times are UTC.

Exit codes:
  0  it was done
  1  the service did not answer
  2  bad input, or the service refused: an expression, an endpoint, nobody is signed in`;

const SEE = `
Examples, environment and exit codes: see svc schedules --help.`;

export function schedulesCommand(): Command {
  const schedules = new Command('schedules')
    .description('see, pause and resume endpoints that run by themselves')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', HELP);
  withService(
    schedules
      .command('list', { isDefault: true })
      .description('list schedules with their next and last fires'),
  ).action(async (options: ServiceOptions) => (await import('../schedules/list.ts')).listSchedules(options));
  withService(schedules.command('pause').description('stop a schedule from firing'))
    .argument('<endpoint>', 'its name')
    .action(async (endpoint: string, options: ServiceOptions) => {
      const { pauseSchedule } = await import('../schedules/toggle.ts');
      await pauseSchedule(endpoint, options);
    });
  withService(schedules.command('resume').description('let a schedule go on with its next fire time'))
    .argument('<endpoint>', 'its name')
    .action(async (endpoint: string, options: ServiceOptions) => {
      const { resumeSchedule } = await import('../schedules/toggle.ts');
      await resumeSchedule(endpoint, options);
    });
  schedules
    .command('next')
    .description('explain a cron expression')
    .argument('<expression>', 'its five fields, in quotes')
    .option('--json', 'print one JSON object')
    .addHelpText('after', SEE)
    .action(async (expression: string, options: { readonly json?: true }) => {
      const { explainExpression } = await import('../schedules/next.ts');
      explainExpression(expression, options, Date.now());
    });
  return schedules;
}

function withService(command: Command): Command {
  return command
    .option('--base-url <url>', 'where the service is (default: $SVC_BASE_URL)')
    .option('--json', 'print one JSON object per schedule')
    .addHelpText('after', SEE);
}
