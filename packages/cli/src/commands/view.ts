/** The arguments and options of `annarrow view`. */

import type { Command } from "commander";
import type { ViewFlags } from "../actions/view.js";
import { type CliContext, INPUT } from "../context/context.js";
import { addEngineOptions, parsePort, VIEW_MEMORY } from "../options/engine-options.js";
import { addExamples } from "../options/examples.js";
import { repeated } from "../options/output-options.js";

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
    .action(async (files: string[], flags: ViewFlags) => {
      const { view } = await import("../actions/view.js");
      await view(files, flags, context);
    });
  addEngineOptions(command, VIEW_MEMORY);
  addExamples(command, EXAMPLES, NOTES);
}
