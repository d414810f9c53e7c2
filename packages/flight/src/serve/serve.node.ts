/** `serve`: serves folders of annotated matrices over Arrow Flight and HTTP. */

import { createSecureContext } from "node:tls";
import { InvalidInputError, isAnnarrowError } from "annarrow";
import { checkOptions, closeAfterUse, type NamesOf } from "annarrow/core/model";
import { startFlightServer } from "../flight/grpc-server.node.js";
import type { ServerCall } from "../flight/protocol/service.js";
import type { CallError } from "../flight/protocol/status.js";
import { Serving } from "./answers/serving.node.js";
import { toFlightError, withStatuses } from "./flight/flight-errors.js";
import { FlightService } from "./flight/flight-service.node.js";
import { startHttpServer } from "./http/http-server.node.js";
import { createJsonLog, getErrorFields, type Log } from "./requests/log.js";

export interface ServeOptions {
  /** Address on which the server listens; `127.0.0.1` by default, which other machines cannot reach. */
  readonly host?: string;
  /** Port for Arrow Flight; 0 for any free port, 8815 by default. */
  readonly port?: number;
  /** Port for HTTP; 0 for any free port. If it is not given, HTTP is not served. */
  readonly httpPort?: number;
  /** Token that clients must send. If it is not given, every client has access. */
  readonly token?: string;
  /** Certificate and key in PEM for both ports; without them nothing is encrypted. */
  readonly tls?: { readonly certificate: Uint8Array; readonly key: Uint8Array };
  /** Refuses uploads. */
  readonly readOnly?: boolean;
  /** Origins whose pages may send requests over HTTP, or `*`; none by default. */
  readonly cors?: string | readonly string[];
  /**
   * Host names that clients may use for the server over HTTP without a token, in addition to its address and localhost:
   * for example the name of a proxy, or `*` for any. A web page whose own domain resolves to this machine is refused
   * because its host name is not listed.
   */
  readonly allowHost?: string | readonly string[];
  /** Key of at least 32 bytes, shared by servers that accept each other's tickets; by default a key of this process. */
  readonly ticketKey?: Uint8Array;
  /** Seconds for which a ticket is valid; an hour by default. */
  readonly ticketSeconds?: number;
  /** Approximate size of one endpoint in bytes; 64 MiB by default. */
  readonly endpointBytes?: number;
  /** Maximum size of a batch in bytes, estimated from the schema; by default 2 MiB, which every client accepts. */
  readonly batchBytes?: number;
  /** Maximum number of concurrent data streams; 256 by default. Further streams wait. */
  readonly maxStreams?: number;
  /** Maximum size of a received message in bytes; 16 MiB by default. */
  readonly maxMessageBytes?: number;
  /** Maximum size of one upload in bytes; 16 GiB by default. */
  readonly maxUploadBytes?: number;
  /** Seconds without progress (another table, or 64 KiB) after which an upload is dropped; 600 by default. */
  readonly uploadSeconds?: number;
  /**
   * Time limit in seconds for opening a file in a separate process before the server opens it; 10 by default. A file
   * that takes longer, or needs too much memory, is refused until it changes.
   */
  readonly openSeconds?: number;
  /** Memory limit of this process, in bytes; 1 GiB by default. */
  readonly openMemoryBytes?: number;
  /** Maximum size of a decoded chunk in bytes; 256 MiB by default. While a chunk is decoded, other requests wait. */
  readonly maxChunkBytes?: number;
  /** Time limit of a statement in seconds; 60 by default. */
  readonly statementSeconds?: number;
  /**
   * Limit on DuckDB's memory for a statement, in bytes; 1 GiB by default, at least 128 MiB. Half of it is for the
   * statement's tables; larger tables go into temporary files. DuckDB does not count the values of the result;
   * including these, a statement uses at most twice the limit.
   */
  readonly statementMemoryBytes?: number;
  /** Limit on the temporary files of statements, in bytes; 16 GiB by default. */
  readonly statementTempBytes?: number;
  /**
   * Maximum size in bytes of a value, of a row and of a batch in a statement's result; 64 MiB by default. A larger
   * value or row ends the statement with an error. A larger batch is split.
   */
  readonly maxCellBytes?: number;
  /** Seconds after which a client that neither reads an answer nor sends an upload is disconnected; 300 by default. */
  readonly stallSeconds?: number;
  /**
   * Where to look for companions (copies of matrices by gene), as in `open`: `"auto"` (default), `"off"`, or a folder
   * that contains them. If a companion is created while the server has the file open, it is used the next time the file
   * is opened.
   */
  readonly companion?: "auto" | "off" | (string & {});
  /** Whether values of generic HDF5 and Zarr files are decoded according to the CF conventions, as in `open`. */
  readonly cf?: boolean;
  /**
   * Groups of generic HDF5 and Zarr files whose arrays are the columns of one table, as in `open`. Every generic file
   * must have these groups.
   */
  readonly frame?: readonly string[];
  /** Receives the lines of the log, each a JSON object; stderr by default, null for no log. */
  readonly log?: ((line: string) => void) | null;
}

const SERVE_OPTIONS = {
  ...{ host: true, port: true, httpPort: true, token: true, tls: { certificate: true, key: true }, readOnly: true },
  ...{ cors: true, allowHost: true, ticketKey: true, ticketSeconds: true, endpointBytes: true, batchBytes: true },
  ...{ maxStreams: true, maxMessageBytes: true, maxUploadBytes: true, uploadSeconds: true, openSeconds: true },
  ...{ openMemoryBytes: true, maxChunkBytes: true, statementSeconds: true, statementMemoryBytes: true },
  ...{
    statementTempBytes: true,
    maxCellBytes: true,
    stallSeconds: true,
    companion: true,
    cf: true,
    frame: true,
    log: true,
  },
} as const satisfies NamesOf<ServeOptions>;

export interface RunningServer extends AsyncDisposable {
  /** `grpc://127.0.0.1:8815` */
  readonly location: string;
  readonly port: number;
  /** Port for HTTP; null if HTTP is not served. */
  readonly httpPort: number | null;
  /** Accepts no more requests, and waits at most `graceSeconds` for running requests to end; 10 by default. */
  close(graceSeconds?: number): Promise<void>;
}

const DEFAULT_PORT = 8815;

/** Addresses that are only reachable from this machine. */
const OWN_ADDRESS = /^(localhost|127\..*|::1)$/;

/** Built files for the server's process and thread. */
export interface BuiltFiles {
  readonly trialProcess: URL;
  readonly statementWorker: URL;
}

/** Time limit in milliseconds within which a Flight client must open a connection. */
const BEGINNING = 10_000;

const AT_LEAST_ONE: ReadonlySet<string> = new Set([
  "endpointBytes",
  "maxStreams",
  "maxMessageBytes",
  "openMemoryBytes",
  "maxChunkBytes",
]);

/** Minimum memory with which DuckDB can process tables in files. */
const LEAST_STATEMENT_MEMORY = 2 ** 27;

/** Maximum duration of a timer. Node's timers fire immediately if they exceed 2^31 - 1 ms. */
const LONGEST_SECONDS = 2_147_483;

/**
 * Serves the annotated matrices below `folders`: every table of every file over Arrow Flight, and over HTTP if `httpPort`
 * is given.
 * @example
 * ```ts
 * const server = await serve("data/", { port: 0, readOnly: true });
 * console.log(server.location);
 * await server.close();
 * ```
 * @param built files of processes and threads that are not beside the files of the package.
 * @throws {NotFoundError} for a folder that does not exist.
 * @throws {InvalidInputError} for invalid options, and for an address that is not free.
 * @throws {MissingDependencyError} without `@grpc/grpc-js`.
 */
export async function serve(
  folders: string | readonly string[],
  options: ServeOptions = {},
  built?: BuiltFiles,
): Promise<RunningServer> {
  checkOptions(options, "serve", SERVE_OPTIONS);
  check(options);
  const { cf, frame } = options;
  const plain = { cf, frame };
  const { host = "127.0.0.1", port = DEFAULT_PORT, httpPort, tls } = options;
  const log = logOf(options);
  const stall = 1000 * (options.stallSeconds ?? 300);
  const serving = await Serving.open({
    folders: typeof folders === "string" ? [folders] : folders,
    token: options.token ?? null,
    ticketKey: options.ticketKey ?? null,
    readOnly: options.readOnly ?? false,
    log,
    endpoints: {
      endpointBytes: options.endpointBytes ?? 2 ** 26,
      ticketTime: 1000 * (options.ticketSeconds ?? 3600),
    },
    streams: options.maxStreams ?? 256,
    pace: { batchBytes: options.batchBytes },
    trials: {
      entry: built?.trialProcess,
      time: options.openSeconds === undefined ? undefined : 1000 * options.openSeconds,
      memory: options.openMemoryBytes,
    },
    companion: options.companion,
    plain,
    chunkBytes: options.maxChunkBytes,
    uploads: {
      bytes: options.maxUploadBytes,
      time: options.uploadSeconds === undefined ? undefined : 1000 * options.uploadSeconds,
    },
    statements: {
      entry: built?.statementWorker,
      companion: options.companion,
      plain,
      time: options.statementSeconds === undefined ? undefined : 1000 * options.statementSeconds,
      memory: options.statementMemoryBytes,
      tempSize: options.statementTempBytes,
      maxCell: options.maxCellBytes,
      messageBytes: options.batchBytes,
    },
  });
  const http =
    httpPort === undefined
      ? null
      : await listening(() =>
          startHttpServer(serving, {
            host,
            port: httpPort,
            tls: tls ?? null,
            cors: options.cors === undefined ? [] : [options.cors].flat(),
            allowHost: options.allowHost === undefined ? [] : [options.allowHost].flat(),
            stall,
          }),
        );
  const watch = watching(serving);
  const flight = await listening(() =>
    startFlightServer(withStatuses(new FlightService(serving)), {
      ...{ host, port, ...watch, stallMilliseconds: stall, idleMilliseconds: stall },
      beginMilliseconds: stall === 0 ? undefined : Math.min(stall, BEGINNING),
      tls,
      maxReceiveBytes: options.maxMessageBytes,
    }),
  ).catch(async (error: unknown) => {
    await http?.close(0);
    throw error;
  });
  const location = `${tls === undefined ? "grpc" : "grpc+tls"}://${host.includes(":") ? `[${host}]` : host}:${flight.port}`;
  log("info", "serving", {
    location,
    httpPort: http?.port ?? null,
    folders,
    readOnly: serving.isReadOnly,
    token: !serving.access.isOpen,
  });
  if (serving.access.isOpen && !serving.isReadOnly && !OWN_ADDRESS.test(host)) {
    const message = `whoever reaches ${location} may write into the folders; token (--token) or readOnly (--read-only) prevents it`;
    log("warn", "open to writers", { message });
  }
  const running = {
    location,
    port: flight.port,
    httpPort: http?.port ?? null,
    async close(graceSeconds = 10) {
      serving.stopping();
      log("info", "stopping");
      await Promise.all([flight.close(1000 * graceSeconds), http?.close(1000 * graceSeconds)]);
      await serving.close();
      log("info", "stopped");
    },
  };
  closeAfterUse(running);
  return running;
}

function check({ token, ticketKey, batchBytes, tls, ...numbers }: ServeOptions): void {
  if (token === "") throw new InvalidInputError("the token is empty");
  if (ticketKey !== undefined && ticketKey.length < 32) {
    throw new InvalidInputError(`the key of tickets has ${ticketKey.length} bytes, at least 32`);
  }
  if (tls !== undefined && (tls.certificate.length === 0 || tls.key.length === 0)) {
    throw new InvalidInputError("TLS needs a certificate and its key");
  }
  if (tls !== undefined) checkPair(tls);
  const { statementMemoryBytes = LEAST_STATEMENT_MEMORY } = numbers;
  if (!(statementMemoryBytes >= LEAST_STATEMENT_MEMORY)) {
    throw new InvalidInputError(`statementMemoryBytes is ${statementMemoryBytes}; DuckDB needs at least 128 MiB`);
  }
  if (batchBytes !== undefined && !(batchBytes >= 1024 && batchBytes <= 2 ** 30)) {
    throw new InvalidInputError(`batchBytes is ${batchBytes}; it must be between 1024 and 2^30`);
  }
  for (const [name, value] of Object.entries(numbers)) {
    if (typeof value !== "number") continue;
    const least = AT_LEAST_ONE.has(name) ? 1 : 0;
    const most = name.endsWith("Seconds") ? LONGEST_SECONDS : Number.MAX_SAFE_INTEGER;
    if (!(value >= least && value <= most)) {
      throw new InvalidInputError(`${name} is ${value}; it must be a number between ${least} and ${most}`);
    }
  }
}

/** Reports a certificate or key that OpenSSL does not accept, before the server starts listening. */
function checkPair({ certificate, key }: NonNullable<ServeOptions["tls"]>): void {
  try {
    createSecureContext({ cert: Buffer.from(certificate), key: Buffer.from(key) });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new InvalidInputError(`TLS needs a certificate and its key, both PEM: ${reason}`, { cause });
  }
}

function logOf({ log }: ServeOptions): Log {
  if (log === null) return () => undefined;
  return createJsonLog(log ?? ((line) => void process.stderr.write(line)));
}

/** Reports an address that is in use as the caller's error. */
async function listening<T>(start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (cause) {
    if (isAnnarrowError(cause)) throw cause;
    throw new InvalidInputError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Checks the access rights of calls, and counts and logs the calls. */
function watching({ access, metrics, log }: Serving) {
  const began = new WeakMap<ServerCall, number>();
  return {
    before(call: ServerCall): void {
      began.set(call, performance.now());
      // A client that requests a token does not have one yet.
      if (call.method === "Handshake") return;
      const [authorization] = call.metadata("authorization");
      const [plain] = call.metadata("auth-token-bin");
      try {
        access.check(authorization ?? (plain === undefined ? undefined : `Bearer ${plain}`));
      } catch (error) {
        throw toFlightError(error);
      }
    },
    after(call: ServerCall, error: CallError | null): void {
      const { method, peer } = call;
      const seconds = (performance.now() - (began.get(call) ?? performance.now())) / 1000;
      const status = error?.status ?? "OK";
      metrics.add(metrics.requests, 1, { protocol: "grpc", method, status });
      metrics.add(metrics.seconds, seconds, { protocol: "grpc", method });
      const about = { protocol: "grpc", method, status, seconds, peer };
      if (error === null) log("info", "request", about);
      else if (error.status === "INTERNAL")
        log("error", "request", { ...about, ...getErrorFields(error.cause ?? error) });
      else log("info", "request", { ...about, message: error.message });
    },
  };
}
