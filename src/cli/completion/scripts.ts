/**
 * What shells read to complete `annarrow`: each asks the command itself, with the words up to the cursor, and completes names
 * of files where it has no answer. Words are handed over as they are; a shell that evaluated them would run what is typed.
 */

const BASH = `\
_annarrow() {
  local line word quote words=()
  # Words stand here as they are typed: with quotes around them, or a backslash before a space.
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    quote=
    case $word in [\\'\\"]*) quote=\${word:0:1} word=\${word:1} word=\${word%"$quote"} ;; *) word=\${word//\\\\/} ;; esac
    words+=("$word")
  done
  COMPREPLY=()
  while IFS=$'\\t' read -r line _; do
    [[ $quote ]] || printf -v line %q "$line"
    COMPREPLY+=("$line")
  done < <(annarrow complete -- "\${words[@]}" 2>/dev/null)
}
# Without an answer, bash completes names of files.
complete -o bashdefault -o default -F _annarrow annarrow
`;

const ZSH = `\
#compdef annarrow
_annarrow() {
  local -a found
  local name description
  while IFS=$'\\t' read -r name description; do
    found+=("\${name//:/\\\\:}\${description:+:$description}")
  done < <(annarrow complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)
  if (( \${#found} )); then _describe annarrow found; else _files; fi
}
if [[ \${funcstack[1]} == _annarrow ]]; then _annarrow "$@"; else compdef _annarrow annarrow; fi
`;

const FISH = `\
function __annarrow_complete
  set -l words (commandline -opc)
  set -l typed (commandline -ct)
  # A word whose quote is still open stays as it is, but for the quote.
  set -l word (string unescape -- $typed; or string replace -r '^[\\'"]' '' -- $typed)
  set -l found (annarrow complete -- $words[2..] "$word" 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$word"
  end
end
complete -c annarrow -f -a '(__annarrow_complete)'
`;

/** The script for each shell. */
export const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
