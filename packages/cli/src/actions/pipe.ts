/** `annarrow pipe` serves the Python package, which starts this command (serve/pipe/). */

import { rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import type { PipeOptions } from "@annarrow/flight";
import { servePipe } from "@annarrow/flight/node";
import { parseJsonObject } from "annarrow/core/model";
import { openStored } from "annarrow/node/api";
import { type CliContext, getWebOptions, openOptions } from "../context/context.js";
import { UsageError } from "../context/failure.js";
import { expandInputs } from "../files/file-pattern.js";

/** Listens as the first line of stdin specifies, until stdin ends. */
export async function pipe(context: CliContext): Promise<void> {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const { socket, token } = parseJsonObject((await lines.next()).value ?? "") ?? {};
  if (typeof token !== "string" || (socket !== null && typeof socket !== "string")) {
    throw new UsageError("this command is for programs: the first line of stdin must have a socket and a token");
  }
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
  // Stdin ends when the calling program ends. That program created a folder for the socket.
  while (!(await lines.next()).done);
  if (socket !== null) {
    await rm(socket, { force: true });
    await rmdir(dirname(socket)).catch(() => undefined);
  }
  process.exit();
}
