// `svc completion SHELL`: prints the script that makes a shell call `svc complete` at every Tab. `svc complete` decides
// on the candidates; a script only passes words and quotes candidates.
import type { Run } from "../../command.ts";

const bash = `# bash completion for svc. In ~/.bashrc: eval "$(svc completion bash)"
_svc() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" quote="" line value help
  local -a words=("\${COMP_WORDS[@]:1:COMP_CWORD}") values=() shown=()
  [[ $cur == [\\"\\']* ]] && quote=\${cur:0:1}
  words=("\${words[@]//\\\\/}")
  words=("\${words[@]//\\"/}")
  words=("\${words[@]//\\'/}")
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      type compopt &>/dev/null && compopt -o filenames
      while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen -f -- "$cur")
      return
    fi
    value=\${line%%$'\\t'*}
    help=\${line#*$'\\t'}
    shown+=("$value\${help:+  ($help)}")
    # What somebody called a Status must not run as a command.
    case $quote in
      \\') [[ $value == *\\'* ]] && continue ;;
      \\") value=$(sed 's/[\\\\"$\`]/\\\\&/g' <<<"$value") ;;
      *) printf -v value %q "$value" ;;
    esac
    values+=("$value")
  done < <(svc complete "$COMP_CWORD" "\${words[@]}" 2>/dev/null)
  type compopt &>/dev/null && compopt -o nosort 2>/dev/null
  # 63: they are only listed, and none is put in.
  if [[ $COMP_TYPE == 63 && \${#values[@]} -gt 1 ]]; then COMPREPLY=("\${shown[@]}"); else COMPREPLY=("\${values[@]}"); fi
}
complete -F _svc svc
`;

const zsh = `#compdef svc
# zsh completion for svc. In ~/.zshrc: eval "$(svc completion zsh)"
_svc() {
  local -a found values shown
  local line
  found=("\${(@f)$(svc complete $((CURRENT - 1)) "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  if [[ $found[1] == :files ]]; then
    _files
    return
  fi
  for line in $found; do
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line//$'\\t'/  }")
  done
  (( $#values )) && compadd -l -V svc -M 'm:{[:lower:]}={[:upper:]}' -d shown -a values
}
if [[ $funcstack[1] == _svc ]]; then
  _svc "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _svc svc
fi
`;

const fish = `# fish completion for svc: svc completion fish > ~/.config/fish/completions/svc.fish
function __svc_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct | string replace -ra '[\\\\\\\\"\\']' '')
    set -l at (count $words)
    set -e words[1]
    set -l found (svc complete $at $words "$current" 2>/dev/null)
    if test "$found[1]" = :files
        __fish_complete_path "$current"
    else
        printf '%s\\n' $found
    end
end
complete -c svc -f -k -a '(__svc_complete)'
`;

const powershell = `# PowerShell completion for svc. In $PROFILE: svc completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
        ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
    $at = $words.Count
    # An empty word does not reach a program in every version.
    if ($wordToComplete -eq '') { $at++ }
    svc complete $at @words 2>$null | ForEach-Object {
        $value, $help = $_ -split "\`t", 2
        # Nothing: then PowerShell offers files.
        if ($value -eq ':files') { return }
        $text = if ($value -match '^[A-Za-z0-9_./=:+-]+$') { $value } else { "'" + ($value -replace "['\\u2018-\\u201b]", '$0$0') + "'" }
        if (-not $help) { $help = $value }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $help)
    }
}
`;

const scripts: Record<string, string> = { bash, zsh, fish, powershell };

export const completion: Run = async (input) => {
  input.stdout.write(scripts[input.needed("shell")] as string);
  return undefined;
};
