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
{name, args}, with --explain also command and travel. --strict adds strict, a list of messages.

An argument without a type is a word wherever a program could interpret its value.

Exit codes:
  0  the file is valid
  2  the file has problems, cannot be read, or fails --strict`;

export function validateCommand(): Command {
  return new Command('validate')
    .argument('[file]', 'the config file, as with --config')
    .option('-c, --config <file>', 'the config file', DEFAULT_CONFIG)
    .option('--explain', 'show the type of each value and how it reaches its program')
    .option('--strict', 'fail if a text argument reaches a program not known to take it as data')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async (file: string | undefined, { config, json, explain = false, strict = false }: Options) => {
      const { validate, validateForPrograms } = await import('../validate/validate.ts');
      const options = { explain, strict };
      if (json) await validateForPrograms(file ?? config, options);
      else await validate(file ?? config, options);
    });
}
