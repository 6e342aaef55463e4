import { Command } from 'commander';
import type { CancelOptions } from '../call/options.ts';
import { readId } from '../service/read-id.ts';

const HELP = `
Examples:
  svc cancel 01a1f8f9-6cb9-71ed-a31e-d55e8abc609c    an execution, or a run of a pipeline with all of its steps

Environment: that of svc call.

Exit codes:
  0  it has ended, or is told to
  1  the service failed
  2  bad input, or there is no such execution or run`;

export function cancelCommand(): Command {
  return new Command('cancel')
    .description('stop an execution or a pipeline run')
    .argument('<id>', 'its id', readId)
    .option('--api-key <key>', 'the API key (default: $SVC_API_KEY)')
    .option('--base-url <url>', 'where the service is (default: $SVC_BASE_URL)')
    .option('--json', 'print the execution or run as one JSON object')
    .addHelpText('after', HELP)
    .action(async (id: string, options: CancelOptions) => {
      const { cancel } = await import('../call/cancel.ts');
      await cancel(id, options);
    });
}
