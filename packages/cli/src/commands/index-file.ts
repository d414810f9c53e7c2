/** The arguments and options of `annarrow index`. */

import type { Command } from "commander";
import type { IndexFlags } from "../actions/index-file.js";
import { type CliContext, INPUT } from "../context/context.js";
import { parseByteSize } from "../options/engine-options.js";
import { addExamples } from "../options/examples.js";

const EXAMPLES = `\
  annarrow index pbmc.h5ad                                 X, raw/X and layers, in ~/.cache/annarrow
  annarrow index pbmc.h5ad --beside                        in pbmc.h5ad.annarrow/, to be uploaded with the file
  annarrow index s3://bucket/pbmc.h5ad --beside            in the bucket
  annarrow index pbmc.h5ad --elements layers/counts
  annarrow index pbmc.h5ad --remove
  annarrow index --list`;

const NOTES = `\
Every command and the library use the copy for as long as the file is the one that was copied.`;

export function defineIndex(command: Command, context: CliContext): void {
  command
    .argument("[file]", INPUT)
    .optionsGroup("Index:")
    .option("--elements <list>", "matrices to copy, with commas between them (default: X, raw/X, layers)")
    .option("--beside", "beside the file, in FILE.annarrow/, where it is found on the web, too")
    .option("--cache <folder>", "folder of the copies (default: annarrow in XDG_CACHE_HOME, or in ~/.cache)")
    .option(
      "--cache-size <size>",
      "most bytes of the folder, as 5GiB; the oldest copies are removed (default: 20GiB)",
      parseByteSize,
    )
    .option("--remove", "remove the copies of the file, beside it and in the folder")
    .option("--list", "list the copies in the folder")
    .action(async (file: string | undefined, flags: IndexFlags) => {
      const { index } = await import("../actions/index-file.js");
      await index(file, flags, context);
    });
  addExamples(command, EXAMPLES, NOTES);
}
