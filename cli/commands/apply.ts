import { Command } from 'commander';
import type { ApplyOptions } from '../apply/apply.ts';
import { DEFAULT_CONFIG } from '../config.ts';
import { MEMBER_ENVIRONMENT, withServiceOptions } from '../service/options.ts';

const HELP = `
Examples:
  svc apply -f svc.yaml --dry-run     show what differs, and change nothing
  svc apply -f svc.yaml
  svc apply -f svc.yaml --json | jq -r 'select(.action == "change") | .name'

Creates and changes endpoints and pipelines of the workspace, so that they are as in the file. The file has the form of
svc.yaml. Their agent runs them when it is named in agent_name, else the agent default; it receives the command from the
service. Nothing is deleted. A definition from the file of an agent is refused, because its file would undo the change.

Warnings, as svc validate and the service give them, go to standard error; with --json they are objects with kind, name and
warnings.

Each line names what differs: + is created, ~ is changed, = is as in the file, ! is refused.

${MEMBER_ENVIRONMENT}

Exit codes:
  0  the service is as in the file; with --dry-run, the differences are shown
  1  the service did not respond
  2  the file has problems, or the service refused; when a definition is refused, nothing was changed`;

export function applyCommand(): Command {
  const command = new Command('apply')
    .option('-f, --file <file>', 'the file', DEFAULT_CONFIG)
    .option('--dry-run', 'show what differs, and change nothing')
    .option('--json', 'print one JSON object per endpoint and pipeline');
  return withServiceOptions(command)
    .addHelpText('after', HELP)
    .action(async (options: ApplyOptions) => {
      const { apply } = await import('../apply/apply.ts');
      await apply(options);
    });
}
