/** `annarrow complete` prints the completion script of a shell, and answers the script's requests. */

import type { Command, Option } from "commander";
import type { CliContext } from "../context/context.js";
import { UsageError } from "../context/failure.js";
import { addExamples } from "../options/examples.js";

const EXAMPLES = `\
  source <(annarrow complete bash)                                    in ~/.bashrc
  source <(annarrow complete zsh)                                     in ~/.zshrc, behind compinit
  annarrow complete fish > ~/.config/fish/completions/annarrow.fish`;

export function defineComplete(command: Command, context: CliContext): void {
  const program = command.parent ?? command;
  command
    .argument("[shell]", Object.keys(SCRIPTS).join(", "))
    .argument("[words...]", "behind --, words of a command line, of which the last is completed")
    .action((shell: string | undefined, words: readonly string[]) => complete(program, shell, words, context));
  addExamples(command, EXAMPLES);
}

async function complete(
  program: Command,
  shell: string | undefined,
  words: readonly string[],
  context: CliContext,
): Promise<void> {
  const isAsked = process.argv.indexOf("--") === process.argv.indexOf("complete") + 1;
  if (isAsked) {
    const found = await candidates(program, [...(shell === undefined ? [] : [shell]), ...words], context);
    process.stdout.write(found.map(([word, description]) => `${word}\t${description}\n`).join(""));
    return;
  }
  if (shell === undefined || !Object.hasOwn(SCRIPTS, shell)) {
    throw new UsageError(`name the shell: annarrow complete ${Object.keys(SCRIPTS).join("|")}`);
  }
  process.stdout.write(SCRIPTS[shell]);
}

/** A completion and its description. */
type Candidate = readonly [word: string, description: string];

/**
 * Returns the candidates for the last word; empty if a file name may follow. `--name=value` is one word in zsh and
 * fish, and three in bash.
 */
async function candidates(
  program: Command,
  typed: readonly string[],
  context: CliContext,
): Promise<readonly Candidate[]> {
  const joined = /^(--[a-z-]+=)(.*)$/s.exec(typed.at(-1) ?? "");
  if (joined !== null) {
    const [, option, value] = joined;
    const found = await candidates(program, [...typed.slice(0, -1), option.slice(0, -1), value], context);
    return found.map(([word, description]) => [`${option}${word}`, description] as const);
  }
  const isEqual = (word: string, at: number) => word === "=" && /^--[a-z-]+$/.test(typed[at - 1] ?? "");
  const words = typed.filter((word, at) => !isEqual(word, at));
  if (isEqual(typed.at(-1) ?? "", typed.length - 1)) words.push("");
  const last = words.at(-1) ?? "";
  const { command, operands, awaited } = parsed(program, words.slice(0, -1));
  const help = command.createHelp();
  const begins = ([word]: Candidate) => word.startsWith(last);
  if (awaited?.argChoices !== undefined)
    return awaited.argChoices.map((choice) => [choice, ""] as const).filter(begins);
  const isTable = awaited === null ? command.name() === "head" && operands.length === 1 : awaited.long === "--table";
  if (isTable && !last.startsWith("-")) return (await tables(operands[0], context)).filter(begins);
  if (awaited !== null) return [];
  if (last.startsWith("-")) {
    const options = help.visibleOptions(command);
    return options.map(({ long, short, description }) => [long ?? short ?? "", description] as const).filter(begins);
  }
  if (operands.length > 0) return [];
  if (command.name() === "complete")
    return Object.keys(SCRIPTS)
      .map((shell) => [shell, ""] as const)
      .filter(begins);
  const commands = help.visibleCommands(command).filter((one) => one.name() !== "help");
  return commands.map((one) => [one.name(), one.description()] as const).filter(begins);
}

/** Returns the command that the words name, the operands after it, and the option whose value is still missing. */
function parsed(program: Command, words: readonly string[]) {
  let command = program;
  let awaited: Option | null = null;
  const operands: string[] = [];
  for (const word of words) {
    if (awaited !== null) {
      awaited = null;
    } else if (word.startsWith("-")) {
      const option = command.options.find(({ long, short }) => word === long || word === short);
      awaited = option !== undefined && (option.required || option.optional) ? option : null;
    } else {
      const within = operands.length > 0 ? undefined : command.commands.find((one) => one.name() === word);
      if (within === undefined) operands.push(word);
      else command = within;
    }
  }
  return { command, operands, awaited };
}

/** Returns the tables of a local file; empty if it cannot be opened, because a shell cannot show an error. */
async function tables(file: string | undefined, context: CliContext): Promise<readonly Candidate[]> {
  if (file === undefined || /^[a-z0-9+]+:\/\//i.test(file)) return [];
  try {
    const { withStored } = await import("../files/open-input.js");
    return await withStored(file, context, async (dataset) =>
      // Shells read one candidate per line, so names with control characters are left out.
      [...dataset.tables.values()]
        .filter(({ name }) => !/[\p{Cc}]/u.test(name))
        .map(({ name, metadata }) => [name, metadata.kind] as const),
    );
  } catch {
    return [];
  }
}

// The completion scripts of shells. Each script calls `annarrow` with the words up to the cursor, and completes file
// names if there is no answer. The words are passed on unevaluated, because a shell that evaluated them would run the
// typed text.

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

const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
