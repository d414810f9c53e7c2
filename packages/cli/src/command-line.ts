/**
 * The command `annarrow`. It loads only the command that is named, and loads the action only when it runs, so that help
 * and completion are fast.
 */

import { VERSION } from "annarrow/core/model";
import { EXIT_INTERRUPTED, getSystemRules } from "annarrow/node/platform";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { COMMANDS, findCalledCommands } from "./command-table.js";
import type { CliContext } from "./context/context.js";
import { EXIT_ERROR, EXIT_USAGE, report, toOutputError } from "./context/failure.js";
import { formatUsageError } from "./context/usage-text.js";
import { parseChoice } from "./options/choice.js";

/** Milliseconds that a command may take to stop after Ctrl-C. */
const GRACE_MS = 2000;

const EXAMPLES = `\
  annarrow inspect pbmc.h5ad
  annarrow head pbmc.h5ad obs
  annarrow convert pbmc.h5ad pbmc/ --to parquet
  annarrow split pbmc.h5ad by-donor/ --by donor
  annarrow index pbmc.h5ad
  annarrow query pbmc.h5ad "select cell_type, count(*) from obs group by 1"
  annarrow view pbmc.h5ad --open`;

const NOTES = `
Data goes to stdout, everything else to stderr.
Exit code: 0, 1 for an error, 2 for wrong use, 130 for Ctrl-C (0 of serve and view).

A file is .h5ad .zarr .zarr.zip .h5mu .loom .mat .rds .h5seurat, .h5 of Cell Ranger or BPCells,
fragments.tsv, .parquet, .arrow; a folder is Zarr, BPCells or tables;
s3://bucket/key, gs://, az:// and hf:// are objects in the cloud;
grpc://host:port/name is a dataset of a service of Arrow Flight.
\`annarrow help convert\` and the like tell all about a command;
\`annarrow complete bash\` prints the completion for a shell.`;

/** Commands without an input, which take no options for opening files. */
const OPENS_NO_FILE = ["serve", "pipe", "commit", "remove", "clean", "doctor", "complete"];

/** Creates the parser. Only the commands that `words` call are fully defined; others have just their list entry. */
async function createProgram(words: readonly string[], context: CliContext): Promise<Command> {
  const program = new Command("annarrow")
    .description("Annotated matrices (AnnData, MuData, Loom, Cell Ranger, BPCells, MATLAB) as Apache Arrow tables.")
    .version(VERSION, "--version", "print the version")
    .addOption(createVerboseOption())
    .addHelpText("before", `Examples:\n${EXAMPLES}\n`)
    .addHelpText("after", NOTES)
    .showSuggestionAfterError()
    // A command and its steps (`union plan`) may have options with the same name.
    .enablePositionalOptions()
    .configureOutput({ outputError: (text, write) => write(formatUsageError(text)) })
    .exitOverride();
  const called = findCalledCommands(words);
  for (const entry of COMMANDS) {
    const { name, args, description, hidden } = entry;
    const isCalled = called.includes(entry);
    const command = program.command(isCalled ? name : `${name} ${args}`, { hidden }).description(description);
    if (!isCalled) {
      command.addOption(createVerboseOption());
      continue;
    }
    // The arguments and the behaviour of a command depend on the formats and schemes that are registered.
    await import("@annarrow/published/register");
    const define = await entry.load();
    define(command, context);
    for (const one of [command, ...command.commands]) addCommonOptions(one, program, context);
  }
  // `query` installs signal handlers only while it writes a file. At other times its engine blocks the thread, so no
  // handler could run.
  program.hook("preAction", (_, command) => {
    if (command.name() !== "query") context.listen();
  });
  return program;
}

const createVerboseOption = () => new Option("--verbose", "show where an error comes from");

/** Adds the options that commands share. */
function addCommonOptions(command: Command, program: Command, context: CliContext): void {
  command.copyInheritedSettings(program);
  if (!OPENS_NO_FILE.includes(command.name())) addOpenOptions(command, context);
  command
    .optionsGroup("General:")
    .addOption(createVerboseOption())
    .helpOption("-h, --help", "display help for command");
}

function addOpenOptions(command: Command, context: CliContext): void {
  command
    .optionsGroup("Opening the input:")
    .option(
      "--follow <folder>",
      "where an R object, or an HDF5 file, that leads to other files may lead; repeatable",
      (folder) => {
        context.follow.push(folder);
      },
    )
    .option("--path <group>", "the group of the file that is opened, where it is not the root", (path) => {
      context.path = path;
    })
    .option("--text <handling>", "text that is not UTF-8: error (default), or latin1", (text) => {
      context.text = parseChoice(text, ["error", "latin1"]);
    })
    .option("--open-as <format>", "hdf5 or zarr: every array as a table, whatever format the file has", (format) => {
      context.openAs = parseChoice(format, ["hdf5", "zarr"]);
    })
    .option("--cf", "plain HDF5 and Zarr: missing values, packed numbers and times by the CF conventions", () => {
      context.cf = true;
    })
    .option("--frame <group>", "plain HDF5 and Zarr: the arrays of a group as one table; repeatable", (group) => {
      context.frame?.push(group);
    })
    .option("--max-objects <count>", "how many objects of the file are looked at while it is opened", (text) => {
      context.maxObjects = count(text);
    })
    .option("--max-columns <count>", "how many columns a table in a file of Parquet or Arrow may have", (text) => {
      context.maxColumns = count(text);
    })
    .option("--companion <where>", "where copies by genes are looked for: auto, off, or a folder of them", (where) => {
      context.companion = where;
    })
    .option("--http-timeout <seconds>", "for one request to a web server, retries included (default: 60)", (text) => {
      context.httpTimeout = 1000 * seconds(text);
    })
    .option("--anonymous", "ask s3://, gs://, az://, hf:// without credentials, for public data", () => {
      context.anonymous = true;
    })
    .option("--requester-pays", "pay for requests to buckets whose readers pay", () => {
      context.requesterPays = true;
    });
}

function count(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 on.");
}

function seconds(text: string): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (value > 0) return value;
  throw new InvalidArgumentError("It must be a number of seconds above 0.");
}

/**
 * Makes a context in which signals interrupt a command. Once the command listens, the first signal aborts it, and it
 * removes its unfinished output. If that takes too long, or at a second signal, the process removes the output and
 * exits.
 */
function interruptible(): CliContext {
  const controller = new AbortController();
  const stop = (code: number) => async () => {
    const isSecond = controller.signal.aborted;
    process.exitCode = code;
    controller.abort();
    await removeAtExit();
    const end = () => process.exit(code);
    if (isSecond) end();
    setTimeout(end, context.graceMilliseconds ?? GRACE_MS).unref();
  };
  let isListening = false;
  const listen: CliContext["listen"] = ({ exceptInterrupt = false } = {}) => {
    if (isListening) return;
    isListening = true;
    for (const [name, code] of Object.entries(getSystemRules().signals)) {
      if (name !== "SIGINT" || !exceptInterrupt) process.on(name, stop(code));
    }
  };
  const context: CliContext = { signal: controller.signal, follow: [], frame: [], listen };
  return context;
}

/** Ensures that from now on unfinished output is removed when the process exits, for whatever reason. */
async function removeAtExit(): Promise<void> {
  const { removeUnfinished } = await import("annarrow/node/io");
  // A second listener finds nothing to do.
  process.once("exit", removeUnfinished);
}

async function main(): Promise<number> {
  const verbose = process.argv.includes("--verbose");
  let isEnding = false;
  process.stdout.on("error", async (error) => {
    // The command fails with the same error while the removal is prepared; the error is reported only once.
    if (isEnding) return;
    isEnding = true;
    const code = report(toOutputError(error), verbose);
    await removeAtExit();
    process.exit(code);
  });
  const context = interruptible();
  try {
    const program = await createProgram(process.argv.slice(2), context);
    await program.parseAsync();
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
    if (context.signal.aborted) return Number(process.exitCode ?? EXIT_INTERRUPTED);
    return isEnding ? EXIT_ERROR : report(error, verbose);
  }
}

process.exitCode = await main();
