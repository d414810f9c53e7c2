/** `annarrow view FILE…`. */

import type { Command } from "commander";
import { openInBrowser } from "../../view/server/browser.node.js";
import { startOpenedView } from "../../view/server/opened-view.node.js";
import { copyStaticPage } from "../../view/server/static-page.node.js";
import { ViewInputList } from "../../view/server/view-inputs.node.js";
import { type CliContext, getWebOptions, INPUT, openOptions } from "../context/context.js";
import { report, UsageError } from "../context/failure.js";
import { expandInputs } from "../files/file-pattern.js";
import { addEngineOptions, type EngineFlags, parseByteSize, parsePort } from "../options/engine-options.js";
import { addExamples } from "../options/examples.js";
import { repeated } from "../options/output-options.js";

interface Flags extends EngineFlags {
  readonly host?: string;
  readonly port?: number;
  readonly open?: boolean;
  readonly allowHost?: readonly string[];
  readonly frameOrigin?: readonly string[];
  readonly untilEof?: boolean;
  readonly static?: string;
  readonly overwrite?: boolean;
}

/** Memory limit of DuckDB's tables unless specified otherwise. */
const STATEMENT_MEMORY = "256MiB";

const EXAMPLES = `\
  annarrow view pbmc.h5ad --open
  annarrow view a.h5ad b.zarr                 several files
  annarrow view data/                         the files in a folder
  annarrow view s3://bucket/pbmc.zarr
  annarrow view --static site/                the page as files, which open what is dropped on them`;

const NOTES = `\
The address of the page has a token, without which the server answers nothing. Ctrl-C ends it.`;

export function defineView(command: Command, context: CliContext): void {
  command
    .argument("[file...]", INPUT)
    .optionsGroup("View:")
    .option("--open", "open the page in the browser")
    .option("--port <port>", "of the page (default: one that is free)", parsePort)
    .option("--host <address>", "address to listen at (default: 127.0.0.1, for this machine alone)")
    .option(
      "--allow-host <name>",
      "a further name by which browsers call the server, as that of a proxy; repeatable",
      repeated,
    )
    .option(
      "--frame-origin <origin>",
      "an origin whose pages may show the page in a frame, as http://localhost:8888; repeatable",
      repeated,
    )
    .option("--until-eof", "end when the standard input ends, for programs that start this one")
    .option("--static <folder>", "write the page as files that need no server, instead")
    .option("--overwrite", "replace the files of such a page in the folder")
    .action((files: string[], flags: Flags) => view(files, flags, context));
  addEngineOptions(command, STATEMENT_MEMORY);
  addExamples(command, EXAMPLES, NOTES);
}

async function view(files: readonly string[], flags: Flags, context: CliContext): Promise<void> {
  if (flags.static !== undefined) {
    if (files.length > 0) throw new UsageError("--static takes no file: the page opens what is dropped on it");
    const missing = await copyStaticPage(new URL("../view/", import.meta.url), flags.static, flags.overwrite ?? false);
    for (const { name, purpose } of missing) {
      process.stderr.write(`${name} is not installed, so that the page lacks ${purpose}\n`);
    }
    process.stderr.write(`wrote ${flags.static}\n`);
    return;
  }
  if (files.length === 0) throw new UsageError("give a file, a folder or a URL, or --static with a folder");
  await serveView(files, flags, context);
}

async function serveView(files: readonly string[], flags: Flags, context: CliContext): Promise<void> {
  const { paths } = await expandInputs(files, getWebOptions(context));
  const { signal: _, ...open } = openOptions(context);
  const { host = "127.0.0.1", port: wanted = 0, allowHost = [], frameOrigin = [], engine, memory, tempSize } = flags;
  const { maxCell } = flags;
  const running = await startOpenedView(await ViewInputList.of(paths), {
    ...{ host, allowHost, open, port: wanted, frameOrigins: frameOrigin },
    engine: {
      memory: memory ?? parseByteSize(STATEMENT_MEMORY),
      engine,
      tempSize,
      maxCell,
    },
    page: new URL("../view/", import.meta.url),
    onError: (error) => void report(error, process.argv.includes("--verbose")),
  });
  process.stdout.write(`${running.url}\n`);
  if (flags.open) {
    await openInBrowser(running.url).catch(() =>
      process.stderr.write("no browser could be started: open the address\n"),
    );
  }
  await new Promise<void>((resolve) => {
    if (context.signal.aborted) resolve();
    context.signal.addEventListener("abort", () => resolve(), { once: true });
    if (flags.untilEof) process.stdin.once("end", resolve).once("error", resolve).resume();
  });
  await running.close();
}
