import { PARSE_KINDS } from '@svc/core/execution/transform/transform';
import { Command, Option } from 'commander';
import { DEFAULT_CONFIG } from '../config.ts';
import type { TransformOptions } from '../transform/transform.ts';

const HELP = `
Examples:
  df -kP | svc transform - --parse table
  svc transform sample.txt --parse table --skip 1 --columns state,name
  svc transform passwd --parse table --delimiter : --columns name,x,uid,gid,about,home,shell
  svc transform sample.json --parse json --select '.items | length'
  df -kP | svc transform - --endpoint disk

Prints the data that a caller of the endpoint gets, as JSON. --endpoint takes the transform of an endpoint in the
config file.

Exit codes:
  0  the sample was transformed
  1  the transform fails on this sample
  2  bad input: an option, a file, a transform that no endpoint may have`;

export function transformCommand(): Command {
  return new Command('transform')
    .argument('<file>', 'a sample of the output of a command; - reads standard input')
    .addOption(new Option('--parse <kind>', 'how to read it').choices(PARSE_KINDS))
    .option('--pattern <expression>', 'for regex: an expression with named groups')
    .option('--parser <name>', 'for jc: one of its parsers')
    .option('--columns <names>', 'for csv, tsv and table: names, separated by commas')
    .option('--header', 'with --columns: leave the first line out')
    .option('--no-header', 'for csv, tsv and table: the first line is a row')
    .option('--delimiter <text>', 'for csv, table and kv: what stands between values')
    .option('--skip <lines>', 'how many lines at the start are left out')
    .option('--until <text>', 'read up to the first line that begins with this')
    .option('--select <program>', 'a jq program that makes the result')
    .option('-e, --endpoint <name>', 'take the transform of this endpoint')
    .option('-c, --config <file>', 'the config file, for --endpoint', DEFAULT_CONFIG)
    .option('--json', 'print errors as JSON')
    .addHelpText('after', HELP)
    .action(async (file: string, options: TransformOptions) => {
      const { transform } = await import('../transform/transform.ts');
      await transform(file, options);
    });
}
