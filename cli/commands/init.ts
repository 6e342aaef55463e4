import { Command } from 'commander';
import { DEFAULT_CONFIG } from '../config.ts';
import type { InitOptions } from '../init/init.ts';

const HELP = `
Examples:
  svc init
  svc init --config deploy/svc.yaml
  svc init --force              replace an existing svc.yaml
  svc init --list               list the templates of the gallery
  svc init --from disk-usage    write a template instead of the starter file

Exit codes:
  0  the file was written
  2  the file already exists or is not writable, or there is no such template`;

export function initCommand(): Command {
  return new Command('init')
    .option('-c, --config <file>', 'the file to write', DEFAULT_CONFIG)
    .option('-f, --force', 'replace the file if it exists')
    .option('--from <template>', 'write this template of the gallery instead of the starter file')
    .option('--list', 'list the templates, and write nothing')
    .addHelpText('after', HELP)
    .action(async (options: InitOptions) => {
      const { init } = await import('../init/init.ts');
      init(options);
    });
}
