import { Command } from 'commander';
import { candidatesFor } from '../reference/complete.ts';

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

/** The shells, each with a script that asks `svc completion words` for what can stand at the cursor. */
const COMPLETION_SCRIPTS = {
  bash: `# svc completion bash > /etc/bash_completion.d/svc
_svc() {
  local IFS=$'\\n'
  COMPREPLY=($(svc completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
  [[ \${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _svc svc
`,
  zsh: `#compdef svc
# svc completion zsh > "\${fpath[1]}/_svc"
_svc() {
  local -a candidates
  candidates=("\${(@f)$(svc completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null | sed -e 's/:/\\\\:/g' -e $'s/\\t/:/')}")
  if [[ -n "\${candidates[1]}" ]]; then _describe svc candidates; else _files; fi
}
if [[ "\${funcstack[1]}" == _svc ]]; then _svc "$@"; else compdef _svc svc; fi
`,
  fish: `# svc completion fish > ~/.config/fish/completions/svc.fish
function __svc_complete
  set -l words (commandline -opc)[2..-1] (commandline -ct)
  svc completion words -- $words 2>/dev/null
end
complete -c svc -a '(__svc_complete)'
`,
} as const;

type Shell = keyof typeof COMPLETION_SCRIPTS;
