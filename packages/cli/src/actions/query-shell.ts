/** The shell of `annarrow query`: multi-line statements, history, completion, dot commands. */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import type { Session } from "annarrow/core/query";
import { splitStatements } from "annarrow/core/query";
import type { CliContext } from "../context/context.js";
import { report, UsageError } from "../context/failure.js";
import { isQueryFormat, QUERY_FORMATS, type QueryFormat } from "../options/query-format.js";
import { writeStatementAnswer } from "./query-output.js";

// Tab completes names of tables and columns, SQL keywords and commands in the shell of `annarrow query`.

interface KnownTable {
  readonly name: string;
  readonly columns: readonly string[];
}

const WORDS =
  "select from where group by order by having limit offset join left join using on as with distinct count avg sum min max case when then else end and or not in is null like between union all describe summarize show tables copy to desc asc gene cells".split(
    " ",
  );

/**
 * Returns the possible completions of the end of a line, and the text that they replace.
 * @param statement the previous lines of the statement.
 */
function listCompletions(
  line: string,
  { statement, tables, commands }: { statement: string; tables: readonly KnownTable[]; commands: readonly string[] },
): [readonly string[], string] {
  if (statement === "" && /^\.\w*$/.test(line)) return [commands.filter((name) => name.startsWith(line)), line];
  const end = /"[^"]*$|[\p{L}\p{N}_./]*$/u.exec(line)?.[0] ?? "";
  const text = `${statement} ${line}`.toLowerCase();
  const named = tables.filter(({ name }) => text.includes(name.toLowerCase()));
  const columns = (named.length > 0 ? named : tables).flatMap((table) => table.columns);
  const isTable = /\b(from|join|describe|summarize|desc|table)\s+$/i.test(line.slice(0, line.length - end.length));
  const names = [...tables.map(({ name }) => name), ...(isTable ? [] : columns)].map(written);
  const plain = end.replaceAll('"', "").toLowerCase();
  const matching = [...new Set([...names, ...(isTable || end.startsWith('"') ? [] : WORDS)])].filter((name) =>
    name.replaceAll('"', "").toLowerCase().startsWith(plain),
  );
  return [matching.sort(), end];
}

/** Returns a name as it must be written in a statement, with quotes if necessary. */
function written(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_]*(\.[\p{L}_][\p{L}\p{N}_]*)?$/u.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

const COMMANDS = {
  ".tables": "the tables, with rows and columns",
  ".schema": ".schema TABLE: the columns of a table, with their types",
  ".format": `.format NAME: form of the answers: ${QUERY_FORMATS.join(" ")}`,
  ".help": "this text",
  ".quit": "end, as Ctrl-D",
} as const;

const PROMPT = "annarrow> ";
const MORE = "     ...> ";
const HISTORY = 1000;

export interface ShellOptions {
  readonly format: QueryFormat;
  readonly overwrite: boolean;
  readonly safeText: boolean;
}

/** Reads statements from the terminal until Ctrl-D. */
export async function runShell(session: Session, options: ShellOptions, context: CliContext): Promise<void> {
  const shell = new Shell(session, options, context);
  await shell.run();
}

class Shell {
  readonly #session: Session;
  readonly #output: Omit<ShellOptions, "format">;
  readonly #context: CliContext;
  #format: QueryFormat;
  /** The lines of a statement that has no semicolon yet. */
  #statement = "";
  /** Lines that were typed or pasted and are not processed yet. */
  readonly #lines: string[] = [];
  #isBusy = false;

  constructor(session: Session, { format, ...output }: ShellOptions, context: CliContext) {
    this.#session = session;
    this.#format = format;
    this.#output = output;
    this.#context = context;
  }

  async run(): Promise<void> {
    process.stderr.write('Statements end with ";". .help lists commands, Tab completes names, Ctrl-D ends.\n');
    const history = new History();
    const terminal = createInterface({
      input: process.stdin,
      output: process.stdout,
      terminal: true,
      history: await history.read(),
      historySize: HISTORY,
      removeHistoryDuplicates: true,
      completer: (line: string) =>
        listCompletions(line, {
          statement: this.#statement,
          tables: this.#session.knownTables(),
          commands: Object.keys(COMMANDS),
        }),
    });
    terminal.on("history", (lines: string[]) => history.keep(lines));
    terminal.on("SIGINT", () => {
      // Ctrl-C at the prompt discards the typed text.
      this.#statement = "";
      terminal.write(null, { ctrl: true, name: "e" });
      terminal.write(null, { ctrl: true, name: "u" });
      process.stdout.write("^C\n");
      this.#prompt(terminal);
    });
    terminal.on("line", (line) => {
      this.#lines.push(line);
      void this.#work(terminal);
    });
    process.stdin.on("keypress", (_, { sequence }: { sequence?: string }) => {
      // Ctrl-D typed while a statement ran arrives as NUL: Linux converts it when the terminal returns to raw mode.
      if (sequence === "\0" && terminal.line === "") terminal.close();
    });
    const closed = new Promise((resolve) => terminal.on("close", resolve));
    this.#prompt(terminal);
    await closed;
    await history.write();
    process.stdout.write("\n");
  }

  #prompt(terminal: Interface): void {
    terminal.setPrompt(this.#statement === "" ? PROMPT : MORE);
    terminal.prompt();
  }

  /** Processes the waiting lines one by one. */
  async #work(terminal: Interface): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let line = this.#lines.shift(); line !== undefined; line = this.#lines.shift()) {
      try {
        if (!(await this.#line(line, terminal))) return terminal.close();
      } catch (error) {
        report(error, false);
      }
    }
    this.#isBusy = false;
    this.#prompt(terminal);
  }

  /** @returns false to end the shell. */
  async #line(line: string, terminal: Interface): Promise<boolean> {
    if (this.#statement === "" && line.trim().startsWith(".")) return this.#command(line.trim(), terminal);
    const { statements, rest } = splitStatements(`${this.#statement}${line}\n`);
    this.#statement = rest === "" ? "" : `${rest}\n`;
    for (const statement of statements) await this.#answer(statement, terminal);
    return true;
  }

  async #command(line: string, terminal: Interface): Promise<boolean> {
    const [command, ...words] = line.replace(/;$/, "").split(/\s+/);
    const argument = words.join(" ");
    switch (command) {
      case ".quit":
      case ".exit":
        return false;
      case ".tables":
        await this.#answer("show tables", terminal);
        return true;
      case ".schema":
        if (argument === "") throw new UsageError(`.schema takes the name of a table, as .schema obs`);
        await this.#answer(`describe ${/^["\w.]+$/.test(argument) ? argument : `"${argument}"`}`, terminal);
        return true;
      case ".format":
        if (!isQueryFormat(argument)) throw new UsageError(`.format takes one of ${QUERY_FORMATS.join(", ")}`);
        this.#format = argument;
        return true;
      case ".help":
        for (const [name, text] of Object.entries(COMMANDS)) process.stdout.write(`${name.padEnd(9)} ${text}\n`);
        return true;
      default:
        throw new UsageError(`no command ${command}; there are ${Object.keys(COMMANDS).join(" ")}`);
    }
  }

  /** Executes a statement; Ctrl-C cancels it. */
  async #answer(statement: string, terminal: Interface): Promise<void> {
    const controller = new AbortController();
    const cancel = () => controller.abort();
    // While a statement runs, the terminal turns Ctrl-C into a signal.
    terminal.pause();
    process.stdin.setRawMode(false);
    process.on("SIGINT", cancel);
    const context = { ...this.#context, signal: controller.signal, listen: () => undefined };
    try {
      await writeStatementAnswer(this.#session, statement, { format: this.#format, ...this.#output }, context);
    } catch (error) {
      if (!controller.signal.aborted) throw error;
      process.stderr.write("annarrow: cancelled\n");
    } finally {
      process.off("SIGINT", cancel);
      process.stdin.setRawMode(true);
      terminal.resume();
    }
  }
}

/** Lines of earlier shells, in the user's state folder: https://specifications.freedesktop.org/basedir-spec */
class History {
  readonly #file = join(process.env.XDG_STATE_HOME || join(homedir(), ".local", "state"), "annarrow", "query-history");
  #lines: readonly string[] | null = null;

  /** Returns the lines, the latest first; empty if they cannot be read. */
  async read(): Promise<string[]> {
    const text = await readFile(this.#file, "utf8").catch(() => "");
    return text.split("\n").filter(Boolean).reverse().slice(0, HISTORY);
  }

  keep(lines: readonly string[]): void {
    this.#lines = [...lines];
  }

  /** Writes the history. If the folder is not writable, only the history is lost. */
  async write(): Promise<void> {
    if (this.#lines === null) return;
    const text = `${[...this.#lines].reverse().join("\n")}\n`;
    await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
      .then(() => writeFile(this.#file, text, { mode: 0o600 }))
      .catch(() => undefined);
  }
}
