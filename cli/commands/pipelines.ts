import { Command } from 'commander';
import { MEMBER_ENVIRONMENT, type ServiceOptions, withServiceOptions } from '../service/options.ts';

const HELP = `
Examples:
  svc pipelines                   list pipelines with their triggers and problems
  svc pipelines show release      show the steps and conditions of a pipeline
  svc pipelines show release --json | jq '{trigger, nodes, edges}'
  svc call release                start a run

${MEMBER_ENVIRONMENT}

An API key is not enough.

Exit codes:
  0  success
  1  the service did not respond
  2  bad input, or the service refused: no such pipeline, or not signed in`;

const SEE = `
Examples, environment and exit codes: see svc pipelines --help.`;

export function pipelinesCommand(): Command {
  const pipelines = new Command('pipelines')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText('after', HELP);
  withService(
    pipelines.command('list', { isDefault: true }).description('list pipelines'),
    'print one JSON object per pipeline',
  ).action(async (options: ServiceOptions) =>
    (await import('../pipelines/pipelines.ts')).listPipelines(options),
  );
  withService(
    pipelines.command('show').description('show a pipeline with its graph'),
    'print one JSON object',
  )
    .argument('<pipeline>', 'the name of the pipeline')
    .action(async (pipeline: string, options: ServiceOptions) => {
      const { showPipeline } = await import('../pipelines/pipelines.ts');
      await showPipeline(pipeline, options);
    });
  return pipelines;
}

function withService(command: Command, json: string): Command {
  return withServiceOptions(command).option('--json', json).addHelpText('after', SEE);
}
