import { Command } from 'commander';
import type { CancelOptions } from '../call/options.ts';
import { API_KEY_OPTION, withServiceOptions } from '../service/options.ts';
import { readId } from '../service/read-id.ts';

const HELP = `
Examples:
  svc cancel 01a1f8f9-6cb9-71ed-a31e-d55e8abc609c    cancel an execution, or a pipeline run with all its steps

Environment: as for svc call.

Exit codes:
  0  ended or being cancelled
  1  the service failed
  2  bad input, or no such execution or run`;

export function cancelCommand(): Command {
  const command = new Command('cancel')
    .argument('<id>', 'the id of the execution or run', readId)
    .option(...API_KEY_OPTION)
    .option('--json', 'print the execution or run as one JSON object');
  return withServiceOptions(command)
    .addHelpText('after', HELP)
    .action(async (id: string, options: CancelOptions) => {
      const { cancel } = await import('../call/cancel.ts');
      await cancel(id, options);
    });
}
