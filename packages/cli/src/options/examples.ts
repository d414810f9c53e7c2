/** Help texts that begin with examples, because most people look for these. */

import type { Command } from "commander";

/**
 * Puts examples above everything else in the help of a command, and notes below it.
 * @param examples one example per line.
 */
export function addExamples(command: Command, examples: string, notes = ""): Command {
  command.addHelpText("before", `Examples:\n${examples}\n`);
  return notes === "" ? command : command.addHelpText("after", ({ command }) => `\n${wrapped(command, notes)}`);
}

/** Wraps the text to the same width as the options. */
function wrapped(command: Command, text: string): string {
  return command.createHelp().boxWrap(text, command.configureOutput().getOutHelpWidth?.() ?? 80);
}
