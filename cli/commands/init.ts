import { Command } from 'commander';
import { DEFAULT_CONFIG } from '../config.ts';

interface Options {
  readonly config: string;
  readonly force?: true;
}

const HELP = `
Examples:
  svc init
  svc init --config deploy/svc.yaml
  svc init --force          replace an existing svc.yaml

Exit codes:
  0  the file was written
  2  the file already exists or is not writable`;

export function initCommand(): Command {
  return new Command('init')
    .option('-c, --config <file>', 'the file to write', DEFAULT_CONFIG)
    .option('-f, --force', 'replace the file if it exists')
    .addHelpText('after', HELP)
    .action(async ({ config, force }: Options) => {
      const { init } = await import('../init/init.ts');
      init(config, force === true);
    });
}
