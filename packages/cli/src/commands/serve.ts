/** The arguments and options of `annarrow serve`. */

import { type Command, InvalidArgumentError } from "commander";
import type { ServeFlags } from "../actions/serve.js";
import type { CliContext } from "../context/context.js";
import { parseByteSize, parsePort } from "../options/engine-options.js";
import { addExamples } from "../options/examples.js";
import { repeated } from "../options/output-options.js";

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
    .action(async (folders: string[], flags: ServeFlags) => {
      const { serveFolders } = await import("../actions/serve.js");
      await serveFolders(folders, flags, context);
    });
  addExamples(command, EXAMPLES, NOTES);
}

function amount(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}
