import { Command } from 'commander';
import { MEMBER_ENVIRONMENT, type ServiceOptions, withServiceOptions } from '../service/options.ts';

const HELP = `
Examples:
  svc schedules                       list schedules with their next runs
  svc schedules pause backup          start no more scheduled runs; calls still work
  svc schedules resume backup
  svc schedules next "0 3 * * 1-5"    explain an expression and print its next five runs, offline

${MEMBER_ENVIRONMENT}

An API key is not enough. Times are UTC.

Exit codes:
  0  success
  1  the service did not respond
  2  bad input, or the service refused: a wrong expression or endpoint, or not signed in`;

const SEE = `
Examples, environment and exit codes: see svc schedules --help.`;

export function schedulesCommand(): Command {
  const schedules = new Command('schedules')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', HELP);
  withService(
    schedules
      .command('list', { isDefault: true })
      .description('list schedules with their next and last runs'),
  ).action(async (options: ServiceOptions) =>
    (await import('../schedules/schedules.ts')).listSchedules(options),
  );
  withService(schedules.command('pause').description('pause a schedule'))
    .argument('<endpoint>', 'the name of the endpoint')
    .action(async (endpoint: string, options: ServiceOptions) => {
      const { pauseSchedule } = await import('../schedules/schedules.ts');
      await pauseSchedule(endpoint, options);
    });
  withService(schedules.command('resume').description('resume a schedule'))
    .argument('<endpoint>', 'the name of the endpoint')
    .action(async (endpoint: string, options: ServiceOptions) => {
      const { resumeSchedule } = await import('../schedules/schedules.ts');
      await resumeSchedule(endpoint, options);
    });
  schedules
    .command('next')
    .description('explain a cron expression')
    .argument('<expression>', 'the five cron fields, in quotes')
    .option('--json', 'print one JSON object')
    .addHelpText('after', SEE)
    .action(async (expression: string, options: { readonly json?: true }) => {
      const { explainExpression } = await import('../schedules/schedules.ts');
      explainExpression(expression, options, Date.now());
    });
  return schedules;
}

function withService(command: Command): Command {
  return withServiceOptions(command)
    .option('--json', 'print one JSON object per schedule')
    .addHelpText('after', SEE);
}
