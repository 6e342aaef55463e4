import { Command } from 'commander';
import { DEFAULT_CONFIG } from '../config.ts';

interface Options {
  readonly config: string;
  readonly json?: true;
}

const HELP = `
Examples:
  svc validate
  svc validate deploy/svc.yaml
  svc validate --json | jq -r '.problems[].message'

With --json: {file, valid, problems, warnings}; a problem is {line, column, message, path}.

Exit codes:
  0  the file is valid
  2  it has problems or cannot be read`;

export function validateCommand(): Command {
  return new Command('validate')
    .description('check a config file and show every problem with line and column')
    .argument('[file]', 'the config file, as with --config')
    .option('-c, --config <file>', 'the config file', DEFAULT_CONFIG)
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async (file: string | undefined, { config, json }: Options) => {
      const { validate, validateForPrograms } = await import('../validate/validate.ts');
      if (json) validateForPrograms(file ?? config);
      else validate(file ?? config);
    });
}
