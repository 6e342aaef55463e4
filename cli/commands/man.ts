import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { Failure } from '../failure.ts';
import { manFile, manPage } from '../reference/man-page.ts';
import { pagesOf } from '../reference/page.ts';

const HELP = `
Examples:
  svc man call | man -l -                     read a page
  svc man keys create | man -l -
  svc man --dir /usr/local/share/man/man1     write all pages; then man svc-call works

Exit codes:
  0  success
  2  no such command, or the folder is not writable`;

export function manCommand(): Command {
  return new Command('man')
    .argument('[command...]', 'the command, such as: keys create (default: svc itself)')
    .option('--dir <folder>', 'write the pages of all commands to this folder')
    .addHelpText('after', HELP)
    .action((words: readonly string[], { dir }: { readonly dir?: string }, command: Command) => {
      const pages = pagesOf(command.parent ?? command);
      if (dir !== undefined) {
        mkdirSync(dir, { recursive: true });
        for (const page of pages) writeFileSync(join(dir, manFile(page)), manPage(page));
        process.stdout.write(`${pages.length} pages in ${dir}\n`);
        return;
      }
      const name = ['svc', ...words].join(' ');
      const page = pages.find((one) => one.name === name);
      if (page === undefined) throw new Failure(`there is no command "${name}"`, { tip: 'svc --help' });
      process.stdout.write(manPage(page));
    });
}
