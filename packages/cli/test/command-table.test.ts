import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { COMMANDS, findCalledCommands } from "../src/command-table.js";
import type { CliContext } from "../src/context/context.js";

const context: CliContext = {
  signal: new AbortController().signal,
  follow: [],
  frame: [],
  listen: () => undefined,
};

describe("the list of commands", () => {
  test.each(COMMANDS.map((entry) => [entry.name, entry] as const))(
    "%s: has the arguments of its module",
    async (name, { args, load }) => {
      const termOf = (command: Command) => command.createHelp().subcommandTerm(command);
      const program = new Command("annarrow");
      const command = program.command(name);
      (await load())(command, context);
      const [, shown = ""] = / \[options\] (.*)$/.exec(termOf(command.option("--verbose"))) ?? [];
      expect(shown).toBe(args);
    },
    60_000,
  );

  test.each([
    [["convert", "a.h5ad", "b.zarr"], ["convert"]],
    [["--verbose", "convert", "head"], ["convert"]],
    [["--", "convert"], ["convert"]],
    [["help", "convert"], ["convert"]],
    [
      ["complete", "--", "union", "c"],
      ["union", "complete"],
    ],
    [["complete", "bash"], ["complete"]],
    [["pbmc.h5ad", "convert"], []],
    [["--help"], []],
    [[], []],
  ])("%j: needs the definition of %j", (words, expected) => {
    expect(findCalledCommands(words).map(({ name }) => name)).toEqual(expected);
  });
});
