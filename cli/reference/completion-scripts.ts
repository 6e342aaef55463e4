/** The shells, each with a script that asks `svc completion words` for what can stand at the cursor. */
export const COMPLETION_SCRIPTS = {
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

export type Shell = keyof typeof COMPLETION_SCRIPTS;
