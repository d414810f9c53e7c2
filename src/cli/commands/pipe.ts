/** `annarrow pipe` serves the Python package, which starts this command (serve/pipe/). */

import type { Command } from "commander";
import type { PipeOptions } from "../../serve/pipe/pipe-request.js";
import { type CliContext, getWebOptions, openOptions } from "../context/context.js";
import { UsageError } from "../context/failure.js";

export function addPipe(program: Command, context: CliContext): void {
  program
    .command("pipe", { hidden: true })
    .description("answer the program that has started this command (the Python package)")
    .action(() => pipe(context));
}

/** Listens as the first line of stdin specifies, until stdin ends. */
async function pipe(context: CliContext): Promise<void> {
  const { servePipe } = await import("../../serve/pipe/pipe-server.node.js");
  const [{ rm, rmdir }, { dirname }] = await Promise.all([import("node:fs/promises"), import("node:path")]);
  const lines = (await import("node:readline")).createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const { parseJsonObject } = await import("../../model/json-object.js");
  const { socket, token } = parseJsonObject((await lines.next()).value ?? "") ?? {};
  if (typeof token !== "string" || (socket !== null && typeof socket !== "string")) {
    throw new UsageError("this command is for programs: the first line of stdin must have a socket and a token");
  }
  const { openStored } = await import("../../api/open.node.js");
  const { expandInputs } = await import("../files/file-pattern.js");
  const contextOf = ({ follow = [], frame = [], ...options }: PipeOptions, signal: AbortSignal) => ({
    ...context,
    ...options,
    follow: [...follow],
    frame: [...frame],
    signal,
  });
  const address = await servePipe(
    { socket, token },
    {
      open: (input, options, signal) => openStored(input, openOptions(contextOf(options, signal))),
      files: async (patterns, options, signal) =>
        (await expandInputs(patterns, getWebOptions(contextOf(options, signal)))).paths,
    },
  );
  process.stdout.write(`${JSON.stringify(address)}\n`);
  // Stdin ends when the calling program ends, which created a folder for the socket.
  while (!(await lines.next()).done);
  if (socket !== null) {
    await rm(socket, { force: true });
    await rmdir(dirname(socket)).catch(() => undefined);
  }
  process.exit();
}
