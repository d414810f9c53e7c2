/** The reference of the commands, made of what `annarrow help COMMAND` prints. */

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { write } from "./pages.mjs";
import { ROOT } from "./repository.mjs";

/** @returns what the command prints; the environment of a terminal changes nothing in it. */
function help(...words) {
  const program = join(ROOT, "dist/cli/main.js");
  return execFileSync(process.execPath, [program, ...words, "--help"], { encoding: "utf8", env: { NO_COLOR: "1" } });
}

/** The sections of a help: lines behind a line that begins at the margin and ends with ":"; text before has no title. */
function sections(text) {
  const found = [{ title: "", lines: [] }];
  for (const line of text.split("\n")) {
    const usage = /^Usage: (.*)$/.exec(line);
    if (usage !== null) found.push({ title: "Usage", lines: [usage[1]] });
    else if (/^[A-Z][^.]*:$/.test(line)) found.push({ title: line.slice(0, -1), lines: [] });
    else found.at(-1).lines.push(line);
  }
  return found
    .map(({ title, lines }) => ({ title, lines: lines.join("\n").trimEnd().split("\n") }))
    .filter(({ title, lines }) => title !== "" || lines.join("").trim() !== "");
}

/** Pairs of a term and its description, which continue on lines that are indented further; null for other text. */
function pairs(lines) {
  const found = [];
  for (const line of lines.filter((one) => one.trim() !== "")) {
    const [, indent, term, description = ""] = /^( +)(.*?)(?: {2,}(.*))?$/.exec(line) ?? [];
    if (indent === undefined) return null;
    if (indent.length === 2) found.push([term, description]);
    else if (found.length === 0) return null;
    else found.at(-1)[1] += ` ${line.trim()}`;
  }
  return found;
}

const cell = (text) => text.trim().replaceAll("|", "\\|").replaceAll("<", "&lt;");

function table(lines) {
  const rows = pairs(lines);
  if (rows === null) return fenced(lines);
  return `| | |\n| --- | --- |\n${rows.map(([term, text]) => `| \`${term.replaceAll("|", "\\|")}\` | ${cell(text)} |`).join("\n")}\n`;
}

const fenced = (lines, language = "") =>
  `\`\`\`${language}\n${lines.map((line) => line.replace(/^ {2}/, "")).join("\n")}\n\`\`\`\n`;

/** Commands; words behind one, which a terminal shows beside it, become a comment above. */
function examples(lines) {
  const shown = lines.flatMap((line) => {
    const [, command, words] = /^ *(.*?\S)(?: {3,}| {2,}(?=[a-z]))(\S.*)$/.exec(line) ?? [null, line.trim(), null];
    return words === null ? [command] : [`# ${words}`, command];
  });
  return fenced(shown, "sh");
}

function prose(lines) {
  const paragraphs = lines
    .join("\n")
    .trim()
    .split(/\n\s*\n/);
  return `${paragraphs.map((text) => text.replace(/\s*\n\s*/g, " ").replaceAll("<", "&lt;")).join("\n\n")}\n`;
}

/** The lines of a list, without words that follow it without a title of their own. */
function listed(lines) {
  const end = lines.findIndex((line) => /^\S/.test(line));
  return end === -1 ? lines : lines.slice(0, end);
}

/** A usage, and the lines behind it up to an empty one; what follows says in words what the command does. */
function usage(lines) {
  const end = lines.indexOf("");
  const [calls, rest] = end === -1 ? [lines, []] : [lines.slice(0, end), lines.slice(end)];
  const shown = calls.map((line) => line.trim()).join("\n");
  const words = prose(rest).trim();
  const sentence = words === "" ? "" : `${words[0].toUpperCase()}${words.slice(1)}.\n\n`.replace("..\n", ".\n");
  return `${sentence}\`\`\`\n${shown}\n\`\`\`\n`;
}

function page(name, text) {
  const parts = sections(text).map(({ title, lines }) => {
    if (title === "") return { title, body: prose(lines) };
    if (title === "Usage") return { title, body: usage(lines) };
    const list = listed(lines);
    const rest = lines.slice(list.length);
    const body = /xamples/.test(title) ? examples(list.filter((line) => line !== "")) : table(list);
    return { title, body: rest.length === 0 ? body : `${body}\n${prose(rest)}` };
  });
  // The usage says what the command does, so that it comes first.
  const [first, others] = [
    parts.find(({ title }) => title === "Usage"),
    parts.filter(({ title }) => title !== "Usage"),
  ];
  const rest = others.map(({ title, body }) => `${title === "" ? "" : `## ${title}\n\n`}${body}`);
  return `# annarrow${name === "" ? "" : ` ${name}`}\n\n${first?.body ?? ""}\n${rest.join("\n")}`;
}

/** Names of the commands that a help lists, but `help` itself. */
function commandNames(text) {
  const list = sections(text).find(({ title }) => title === "Commands");
  const names = pairs(listed(list?.lines ?? []))?.map(([term]) => term.split(" ")[0]) ?? [];
  return names.filter((name) => name !== "help");
}

/** Makes a page for each command below commands/, among them one for `index`, and the overview beside this folder. */
export function makeCommands() {
  const all = help();
  const linked = page("", all).replace(/^\| `(\w+)( [^`]*)?` \|/gm, (row, name, rest = "") =>
    name === "help" ? row : `| [\`${name}\`](commands/${name}.md)${rest === "" ? "" : ` \`${rest.trim()}\``} |`,
  );
  write("commands.md", linked.replace("# annarrow\n", "# Commands\n"));
  const names = commandNames(all);
  for (const name of names) {
    const text = help(name);
    const steps = commandNames(text).map((step) => page(`${name} ${step}`, help(name, step)).replace(/^#/gm, "##"));
    write(`commands/${name}.md`, [page(name, text), ...steps].join("\n"));
  }
  return names;
}
