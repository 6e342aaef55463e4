import { Command } from 'commander';
import { DEFAULT_CONFIG } from '../config.ts';

interface Options {
  readonly config: string;
  readonly json?: true;
  readonly explain?: boolean;
  readonly strict?: boolean;
}

const HELP = `
Examples:
  svc validate
  svc validate deploy/svc.yaml
  svc validate --explain
  svc validate --strict
  svc validate --json | jq -r '.problems[].message'

With --json: {file, valid, problems, warnings, endpoints}; a problem is {line, column, message, path}. An endpoint is
{name, args}, and with --explain it has command and travel too. With --strict there is also strict, a list of messages.

A value is a word wherever a program might read more into it, unless the file gives its argument another type.

Exit codes:
  0  the file is valid
  2  it has problems, cannot be read, or --strict refuses it`;

export function validateCommand(): Command {
  return new Command('validate')
    .description('check a config file and show every problem with line and column')
    .argument('[file]', 'the config file, as with --config')
    .option('-c, --config <file>', 'the config file', DEFAULT_CONFIG)
    .option('--explain', 'show how each value gets to the programs that receive it, and its type')
    .option('--strict', 'fail where a text argument reaches a program that is not known to take it as data')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async (file: string | undefined, { config, json, explain = false, strict = false }: Options) => {
      const { validate, validateForPrograms } = await import('../validate/validate.ts');
      const asked = { explain, strict };
      if (json) validateForPrograms(file ?? config, asked);
      else validate(file ?? config, asked);
    });
}
