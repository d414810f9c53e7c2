/** `annarrow serve DIR…`. */

import { readFile } from "node:fs/promises";
import { type Command, InvalidArgumentError } from "commander";
import { serve } from "../../serve/serve.node.js";
import { createInputPathError } from "../../sources/file.node.js";
import type { CliContext } from "../context/context.js";
import { UsageError } from "../context/failure.js";
import { parseByteSize, parsePort } from "../options/engine-options.js";
import { addExamples } from "../options/examples.js";
import { repeated } from "../options/output-options.js";

interface Flags {
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

const EXAMPLES = `\
  annarrow serve data/                                    Arrow Flight on grpc://127.0.0.1:8815, for this machine alone
  annarrow serve data/ --read-only --http-port 8080       and HTTP: curl http://127.0.0.1:8080/pbmc.h5ad/obs
  annarrow serve data/ --host 0.0.0.0 --token "$TOKEN" --tls-cert cert.pem --tls-key key.pem`;

const NOTES = `\
The token can also stand in the environment variable ANNARROW_TOKEN, which other users of the machine do not see.`;

export function defineServe(command: Command, context: CliContext): void {
  command
    .argument("<dir...>", "folders whose files are served")
    .option("--host <address>", "address to listen at (default: 127.0.0.1)")
    .option("--port <number>", "of Arrow Flight; 0 for any (default: 8815)", parsePort)
    .option("--http-port <number>", "of HTTP, with metrics at /metrics; 0 for any (default: no HTTP)", parsePort)
    .option("--token <token>", "what clients must say to be let in")
    .option("--tls-cert <file>", "certificate, PEM; with --tls-key")
    .option("--tls-key <file>", "its key, PEM")
    .option("--read-only", "refuse uploads")
    .option("--cache", "copy the matrices of all files by genes, as annarrow index does, while the server runs")
    .option("--companion <where>", "where copies by genes are looked for: auto, off, or a folder of them")
    .option("--cf", "plain HDF5 and Zarr: missing values, packed numbers and times by the CF conventions")
    .option("--frame <group>", "plain HDF5 and Zarr: the arrays of a group as one table; repeatable", repeated)
    .option("--cors <origin>", "an origin whose pages may ask over HTTP, or *; repeatable", repeated)
    .option(
      "--allow-host <name>",
      "a name of this server over HTTP where there is no token, besides localhost, or * for any; repeatable",
      repeated,
    )
    .option("--ticket-key <file>", "key of tickets, for servers that share them; at least 32 bytes")
    .option("--ticket-seconds <number>", "how long tickets are taken (default: 3600)", amount)
    .option("--max-streams <number>", "data streams at once (default: 256)", amount)
    .option("--max-message <size>", "largest message that is taken (default: 16MiB)", parseByteSize)
    .option("--max-upload <size>", "largest upload (default: 16GiB)", parseByteSize)
    .option("--open-seconds <number>", "what opening a file may take (default: 10)", amount)
    .option("--open-memory <size>", "memory that opening a file may take (default: 1GiB)", parseByteSize)
    .option("--max-chunk <size>", "largest chunk of a table, decoded (default: 256MiB)", parseByteSize)
    .option("--statement-seconds <number>", "what a statement may take (default: 60)", amount)
    .option("--statement-memory <size>", "memory of a statement (default: 1GiB)", parseByteSize)
    .option("--statement-temp <size>", "temporary files of a statement (default: 16GiB)", parseByteSize)
    .option("--max-cell <size>", "largest value and row of an answer of a statement (default: 64MiB)", parseByteSize)
    .option("--stall-seconds <number>", "a client that does not go on for so long is cut off (default: 300)", amount)
    .option("--grace-seconds <number>", "for streams that run when the server is stopped (default: 10)", amount)
    .action((folders: string[], flags: Flags) => serveFolders(folders, flags, context));
  addExamples(command, EXAMPLES, NOTES);
}

async function serveFolders(folders: string[], flags: Flags, context: CliContext): Promise<void> {
  const { signal } = context;
  const { companion, tlsCert, tlsKey, ticketKey, maxMessage, maxUpload, maxChunk, openMemory, ...others } = flags;
  const { statementMemory, statementTemp, maxCell, graceSeconds = 10, cache = false, ...rest } = others;
  if (cache && companion === "off") throw new UsageError("give either --cache or --companion off");
  if ((tlsCert === undefined) !== (tlsKey === undefined)) throw new UsageError("--tls-cert and --tls-key go together");
  const token = rest.token ?? process.env.ANNARROW_TOKEN;
  // Our own errors include what gRPC would print, and stderr is reserved for the log.
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

/** @throws {NotFoundError} where there is no such file, {InvalidInputError} where it cannot be read. */
async function contentOf(path: string): Promise<Uint8Array> {
  return readFile(path).catch(async (cause: unknown) => {
    throw await createInputPathError(cause, path);
  });
}

function amount(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}
