/** `annarrow serve DIR…`. */

import { readFile } from "node:fs/promises";
import { serve } from "@annarrow/flight/node";
import { createInputPathError } from "annarrow/node/io";
import type { CliContext } from "../context/context.js";
import { UsageError } from "../context/failure.js";

export interface ServeFlags {
  host?: string;
  port?: number;
  httpPort?: number;
  token?: string;
  tlsCert?: string;
  tlsKey?: string;
  readOnly?: boolean;
  cache?: boolean;
  cf?: boolean;
  frame?: readonly string[];
  companion?: string;
  cors?: string[];
  allowHost?: string[];
  ticketKey?: string;
  ticketSeconds?: number;
  maxStreams?: number;
  maxMessage?: number;
  maxUpload?: number;
  openSeconds?: number;
  openMemory?: number;
  maxChunk?: number;
  statementSeconds?: number;
  statementMemory?: number;
  statementTemp?: number;
  maxCell?: number;
  stallSeconds?: number;
  graceSeconds?: number;
}

export async function serveFolders(folders: string[], flags: ServeFlags, context: CliContext): Promise<void> {
  const { signal } = context;
  const { companion, tlsCert, tlsKey, ticketKey, maxMessage, maxUpload, maxChunk, openMemory, ...others } = flags;
  const { statementMemory, statementTemp, maxCell, graceSeconds = 10, cache = false, ...rest } = others;
  if (cache && companion === "off") throw new UsageError("give either --cache or --companion off");
  if ((tlsCert === undefined) !== (tlsKey === undefined)) throw new UsageError("--tls-cert and --tls-key go together");
  const token = rest.token ?? process.env.ANNARROW_TOKEN;
  // Annarrow's own errors contain everything that gRPC would print, and stderr is reserved for the log.
  process.env.GRPC_VERBOSITY ??= "NONE";
  const server = await serve(folders, {
    ...rest,
    companion,
    token,
    tls:
      tlsCert === undefined || tlsKey === undefined
        ? undefined
        : { certificate: await contentOf(tlsCert), key: await contentOf(tlsKey) },
    ticketKey: ticketKey === undefined ? undefined : await contentOf(ticketKey),
    maxMessageBytes: maxMessage,
    maxChunkBytes: maxChunk,
    openMemoryBytes: openMemory,
    statementMemoryBytes: statementMemory,
    statementTempBytes: statementTemp,
    maxCellBytes: maxCell,
    maxUploadBytes: maxUpload,
  });
  context.graceMilliseconds = 1000 * graceSeconds + 2000;
  const copying = cache
    ? (await import("./served-copies.js")).copyServed(folders, {
        cache: companion === undefined || companion === "auto" ? undefined : companion,
        signal,
      })
    : Promise.resolve();
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  await Promise.all([server.close(graceSeconds), copying]);
}

/** @throws {NotFoundError} if there is no such file, {InvalidInputError} if it cannot be read. */
async function contentOf(path: string): Promise<Uint8Array> {
  return readFile(path).catch(async (cause: unknown) => {
    throw await createInputPathError(cause, path);
  });
}
