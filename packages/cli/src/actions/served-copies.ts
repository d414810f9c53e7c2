/**
 * `annarrow serve --cache`: copies the served files by gene while the server runs. Each file is copied by a separate
 * process, `annarrow index`, so that a file that crashes this process does not stop the server.
 */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createJsonLog, getErrorFields } from "@annarrow/flight";
import { Folders } from "@annarrow/flight/node";

export interface ServedCopiesOptions {
  /** The folder of companions; the user's cache by default. */
  readonly cache?: string;
  readonly signal: AbortSignal;
}

const run = promisify(execFile);

/** Copies the files one after the other and logs each copy. A file that cannot be copied causes a warning. */
export async function copyServed(folders: readonly string[], { cache, signal }: ServedCopiesOptions): Promise<void> {
  const log = createJsonLog((line) => process.stderr.write(line));
  const served = await Folders.open(folders);
  const copies = { copied: 0, failed: 0 };
  for await (const dataset of served.names()) {
    if (signal.aborted) return;
    try {
      const { found } = await served.find([dataset]);
      const into = cache === undefined ? [] : ["--cache", cache];
      const { stderr } = await run(process.execPath, [process.argv[1], "index", found.path, ...into], { signal });
      log("info", "indexed", { dataset, message: lastLine(stderr) });
      copies.copied++;
    } catch (error) {
      if (signal.aborted) return;
      const text = typeof error === "object" && error !== null ? Reflect.get(error, "stderr") : undefined;
      const message =
        typeof text === "string" && text.trim() !== "" ? { error: lastLine(text) } : getErrorFields(error);
      log("warn", "not indexed", { dataset, ...message });
      copies.failed++;
    }
  }
  log("info", "indexed all", copies);
}

const lastLine = (text: string) => text.trim().split("\n").at(-1) ?? "";
