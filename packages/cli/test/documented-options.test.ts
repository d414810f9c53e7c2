/** Every option that the documentation gives a command is one that the command has. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../../../test/build.js";
import { annarrow } from "./command.js";

beforeAll(ensureBuilt, 120_000);

const PAGES = [
  "README.md",
  ...readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => join("docs", file)),
];

/** A command with its words, up to the end of the code, of the command, or of the line that does not go on. */
const COMMAND = /\bannarrow ([a-z]+)((?: \\\n|[^`\n;&|])*)/g;

/** The commands of the documentation with the options that it gives them. */
function documented(): Map<string, Map<string, string>> {
  const found = new Map<string, Map<string, string>>();
  for (const page of PAGES) {
    for (const [, command, rest] of readFileSync(page, "utf8").matchAll(COMMAND)) {
      // What comes in quotes is the user's: conditions, statements.
      const words = rest.replaceAll(/"[^"]*"|'[^']*'/g, "x");
      for (const [option] of words.matchAll(/(?<=\s)--[a-z][\w-]*/gi)) {
        const options = found.get(command) ?? new Map<string, string>();
        found.set(command, options.set(option, page));
      }
    }
  }
  return found;
}

/** The help of a command, and of the commands below it. */
async function helpOf(command: string): Promise<string> {
  const { stdout } = await annarrow(command, "--help");
  const below = [...stdout.matchAll(/^ {2}([a-z]+) \[options\]/gm)].map(([, name]) => name);
  const others = await Promise.all(below.map(async (name) => (await annarrow(command, name, "--help")).stdout));
  return [stdout, ...others].join("\n");
}

test("options of commands", async () => {
  const commands = documented();
  expect(commands.size).toBeGreaterThan(8);
  const unknown: string[] = [];
  for (const [command, options] of commands) {
    const help = await helpOf(command);
    const known = new Set(help.match(/--[a-z][\w-]*/gi));
    for (const [option, page] of options)
      if (!known.has(option)) unknown.push(`${page}: annarrow ${command} ${option}`);
  }
  expect(unknown).toEqual([]);
}, 120_000);
