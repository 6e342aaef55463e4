import { Command } from 'commander';
import { argumentsOf, type Candidate, candidatesFor, completionLines } from '../reference/complete.ts';

const HELP = `
Examples:
  svc completion bash > /etc/bash_completion.d/svc
  svc completion zsh > "\${fpath[1]}/_svc"
  svc completion fish > ~/.config/fish/completions/svc.fish
  source <(svc completion bash)     only in this shell

The script asks svc itself for subcommands and options, so it stays right after an upgrade. Behind svc call it offers the
endpoints, arguments and values that the service lists for you. That needs svc login or SVC_ACCESS_TOKEN.

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
    .action(async (words: readonly string[]) => {
      const root = completion.parent ?? completion;
      const joined = joinAssignments(words);
      const ofProgram = candidatesFor(root, joined);
      const callWords = ofProgram.length === 0 ? argumentsOf(root, joined, 'call') : undefined;
      const all = callWords === undefined ? ofProgram : await candidatesOfCall(callWords);
      process.stdout.write(completionLines(all));
    });
  return completion;
}

/** A shell asks again with the next key, so it does not wait for a list that takes long. */
const SERVICE_MS = 3_000;

/** Nothing if the service does not answer, or knows no such endpoint: the line is being typed, and there is no place for an error. */
async function candidatesOfCall(words: readonly string[]): Promise<Candidate[]> {
  const { apiOf } = await import('../service/api.ts');
  const { findServiceOfMember } = await import('../service/find-service.ts');
  const { completeCall } = await import('../call/complete-values.ts');
  const late = Promise.withResolvers<Candidate[]>();
  const timer = setTimeout(() => late.resolve([]), SERVICE_MS);
  try {
    const api = apiOf(findServiceOfMember({}, process.env));
    return await Promise.race([completeCall(api, words), late.promise]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

/** Bash gives `env=prod` as three words. */
function joinAssignments(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    if (before !== undefined && (word === '=' || before.endsWith('=')))
      joined[joined.length - 1] = before + word;
    else joined.push(word);
  }
  return joined;
}

/** The shells, each with a script that asks `svc completion words` for what can stand at the cursor. */
const COMPLETION_SCRIPTS = {
  bash: `# svc completion bash > /etc/bash_completion.d/svc
_svc() {
  local words=("\${COMP_WORDS[@]:1:COMP_CWORD}") word quoted
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    if [[ "\${COMP_WORDS[COMP_CWORD]}" == "=" || "\${COMP_WORDS[COMP_CWORD-1]}" == "=" ]]; then
      word="\${word#*=}"
    elif [[ "$word" == *= ]]; then
      compopt -o nospace 2>/dev/null
    fi
    # Bash inserts a word as it is. A value must stay one word, whatever the shell would read into it.
    printf -v quoted %q "$word"
    COMPREPLY+=("$quoted")
  done < <(svc completion words -- "\${words[@]//\\\\/}" 2>/dev/null)
}
complete -o default -F _svc svc
`,
  zsh: `#compdef svc
# svc completion zsh > "\${fpath[1]}/_svc"
_svc() {
  local -a candidates
  candidates=("\${(@f)$(svc completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null | sed -e 's/[\\\\:]/\\\\&/g' -e $'s/\\t/:/')}")
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
