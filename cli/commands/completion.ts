import { Command } from 'commander';
import { candidatesFor } from '../reference/complete.ts';
import { COMPLETION_SCRIPTS, type Shell } from '../reference/completion-scripts.ts';

const HELP = `
Examples:
  svc completion bash > /etc/bash_completion.d/svc
  svc completion zsh > "\${fpath[1]}/_svc"
  svc completion fish > ~/.config/fish/completions/svc.fish
  source <(svc completion bash)     only in this shell

The script asks svc itself for subcommands and options, so it stays right after an upgrade.

Exit codes:
  0  success
  2  no such shell`;

export function completionCommand(): Command {
  const completion = new Command('completion').helpCommand(false).addHelpText('after', HELP);
  for (const shell of Object.keys(COMPLETION_SCRIPTS) as Shell[])
    completion
      .command(shell)
      .description(`print the completion script for ${shell}`)
      .action(() => void process.stdout.write(COMPLETION_SCRIPTS[shell]));
  // For the scripts: one line for each word that can stand at the cursor, with its meaning behind a tab.
  completion
    .command('words', { hidden: true })
    .argument('[words...]', 'the words of the line behind svc; the last one is being typed')
    .action((words: readonly string[]) => {
      for (const { word, text } of candidatesFor(completion.parent ?? completion, words))
        process.stdout.write(`${word}\t${text}\n`);
    });
  return completion;
}
