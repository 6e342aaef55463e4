import { Command } from 'commander';
import type { ServiceOptions } from '../service/options.ts';

const HELP = `
Examples:
  svc pipelines                   every pipeline, how it begins, and what keeps it from being started
  svc pipelines show release      its steps and conditions, and what runs after what
  svc pipelines show release --json | jq '{trigger, nodes, edges}'
  svc call release                start one

Environment:
  SVC_BASE_URL  where the service is (default: http://127.0.0.1:8787)

The credential is what svc login has kept for the service: an API key may not do this.

Exit codes:
  0  it was done
  1  the service did not answer
  2  bad input, or the service refused: there is no such pipeline, nobody is signed in`;

const SEE = `
Examples, environment and exit codes: see svc pipelines --help.`;

export function pipelinesCommand(): Command {
  const pipelines = new Command('pipelines')
    .description('see the pipelines of the workspace')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', HELP);
  withService(
    pipelines.command('list', { isDefault: true }).description('list pipelines'),
    'print one JSON object per pipeline',
  ).action(async (options: ServiceOptions) => (await import('../pipelines/list.ts')).listPipelines(options));
  withService(pipelines.command('show').description('show one with its graph'), 'print one JSON object')
    .argument('<pipeline>', 'its name')
    .action(async (pipeline: string, options: ServiceOptions) => {
      const { showPipeline } = await import('../pipelines/show.ts');
      await showPipeline(pipeline, options);
    });
  return pipelines;
}

function withService(command: Command, json: string): Command {
  return command
    .option('--base-url <url>', 'where the service is (default: $SVC_BASE_URL)')
    .option('--json', json)
    .addHelpText('after', SEE);
}
