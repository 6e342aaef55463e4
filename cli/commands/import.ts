import { Argument, Command } from 'commander';
import { DEFAULT_CONFIG } from '../config.ts';
import type { ImportedProgram, ImportOptions } from '../import/import.ts';

const HELP = `
Examples:
  svc import webhook hooks.json
  svc import olivetin /etc/OliveTin/config.yaml
  svc import crontab /etc/crontab
  crontab -l | svc import crontab -
  svc import crontab jobs --config -      print the file instead of writing it

crontab: the file of cron. webhook: the hooks of github.com/adnanh/webhook. olivetin: the config.yaml of OliveTin.

svc validate accepts the new file. Its comments explain where svc behaves differently from the other program. The import
leaves out entries that svc cannot run the same way and prints the reason for each. Where it can write such an entry as
a definition, it adds the definition as a comment at the end. The import runs no command and does not change the other
program.

Exit codes:
  0  the file was written
  2  the file cannot be read or is not of this program, or svc.yaml already exists`;

const PROGRAMS: readonly ImportedProgram[] = ['crontab', 'olivetin', 'webhook'];

export function importCommand(): Command {
  return new Command('import')
    .addArgument(new Argument('<program>', 'the program that wrote the file').choices(PROGRAMS))
    .argument('<file>', 'the file; - is standard input')
    .option('-c, --config <file>', 'the file to write; - is standard output', DEFAULT_CONFIG)
    .option('-f, --force', 'replace the file if it exists')
    .option('--system', 'crontab: lines have a user, as in /etc/crontab')
    .addHelpText('after', HELP)
    .action(async (program: ImportedProgram, file: string, options: ImportOptions) => {
      const { importFile } = await import('../import/import.ts');
      importFile(program, file, options);
    });
}
