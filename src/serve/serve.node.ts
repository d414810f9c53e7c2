/** `serve`: folders of annotated matrices behind Arrow Flight and HTTP. */

import { createSecureContext } from "node:tls";
import { startFlightServer } from "../flight/grpc-server.node.js";
import type { ServerCall } from "../flight/protocol/service.js";
import type { CallError } from "../flight/protocol/status.js";
import { InvalidInputError, isAnnarrowError } from "../model/errors.js";
import { Serving } from "./answers/serving.node.js";
import { flightError, withStatuses } from "./flight/flight-errors.js";
import { FlightService } from "./flight/flight-service.node.js";
import { startHttpServer } from "./http/http-server.node.js";
import { errorFields, jsonLog, type Log } from "./requests/log.js";

export interface ServeOptions {
  /** Address to listen at; `127.0.0.1` by default, which nobody else can reach. */
  readonly host?: string;
  /** Of Arrow Flight; 0 for any that is free, 8815 by default. */
  readonly port?: number;
  /** Of HTTP, where it is wanted; 0 for any that is free. */
  readonly httpPort?: number;
  /** What clients must say to be let in; without it everybody is. */
  readonly token?: string;
  /** PEM, of both ports; without it nothing is encrypted. */
  readonly tls?: { readonly certificate: Uint8Array; readonly key: Uint8Array };
  /** Refuses uploads. */
  readonly readOnly?: boolean;
  /** Origins whose pages may ask over HTTP, or `*`; none by default. */
  readonly cors?: string | readonly string[];
  /**
   * Names by which clients may call the server over HTTP where no token is set, besides its address and localhost: of a
   * proxy in front of it; `*` for any. A page whose name leads to this machine is refused by its name.
   */
  readonly allowHost?: string | readonly string[];
  /** At least 32 bytes, shared by servers that take each other's tickets; by default one of this process. */
  readonly ticketKey?: Uint8Array;
  /** How long tickets are taken, in seconds; an hour by default. */
  readonly ticketSeconds?: number;
  /** About so many bytes of a table make one endpoint; 64 MiB by default. */
  readonly endpointBytes?: number;
  /** Upper bound of one batch's bytes, as far as the schema tells; at most 2 MiB, which clients take by default. */
  readonly batchBytes?: number;
  /** Data streams that run at once; 256 by default, others wait. */
  readonly maxStreams?: number;
  /** Largest message that is taken; 16 MiB by default. */
  readonly maxMessageBytes?: number;
  /** Bytes of one upload; 16 GiB by default. */
  readonly maxUploadBytes?: number;
  /** An upload is dropped when nothing came for so long; 600 by default. */
  readonly uploadSeconds?: number;
  /**
   * What opening a file may take, in a process of its own, before the server opens it; 10 by default. A file that takes
   * longer, or more memory, is refused until it changes.
   */
  readonly openSeconds?: number;
  /** Bytes of memory that process may have; 1 GiB by default. */
  readonly openMemoryBytes?: number;
  /** Bytes of the largest chunk of a table that is decoded; 256 MiB by default. Nobody else is answered meanwhile. */
  readonly maxChunkBytes?: number;
  /** What a statement may take; 60 by default. */
  readonly statementSeconds?: number;
  /** A client that takes nothing of its answer, or sends nothing of its upload, for so long is cut off; 300 by default. */
  readonly stallSeconds?: number;
  /** Takes the lines of the log, JSON each; stderr by default, null for none. */
  readonly log?: ((line: string) => void) | null;
}

export interface RunningServer {
  /** `grpc://127.0.0.1:8815` */
  readonly location: string;
  readonly port: number;
  /** Null where HTTP is not served. */
  readonly httpPort: number | null;
  /** Takes no more requests; those that run may take so long to end, 10 seconds by default. */
  close(graceSeconds?: number): Promise<void>;
}

const DEFAULT_PORT = 8815;

/** The built files of a server's processes and threads. */
export interface BuiltFiles {
  readonly trialProcess: URL;
  readonly statementWorker: URL;
}

/** What a client of Flight has to begin a connection, in milliseconds. */
const BEGINNING = 10_000;

const AT_LEAST_ONE: ReadonlySet<string> = new Set([
  "endpointBytes",
  "maxStreams",
  "maxMessageBytes",
  "openMemoryBytes",
  "maxChunkBytes",
]);

/** Of a timer: Node's fire at once beyond 2^31 - 1 ms. */
const LONGEST_SECONDS = 2_147_483;

/**
 * Serves the annotated matrices below `folders`: every table of every file over Arrow Flight, and over HTTP where it has
 * a port.
 * @example
 * ```ts
 * const server = await serve("data/", { port: 0, readOnly: true });
 * console.log(server.location);
 * await server.close();
 * ```
 * @param built where they are not beside the files of the package.
 * @throws {NotFoundError} where a folder is not there.
 * @throws {InvalidInputError} for options that make no sense, or an address that cannot be had.
 * @throws {MissingDependencyError} without `@grpc/grpc-js`.
 */
export async function serve(
  folders: string | readonly string[],
  options: ServeOptions = {},
  built?: BuiltFiles,
): Promise<RunningServer> {
  check(options);
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
    pace: options.batchBytes === undefined ? {} : { batchBytes: options.batchBytes },
    trials: {
      ...(built === undefined ? {} : { entry: built.trialProcess }),
      ...(options.openSeconds === undefined ? {} : { time: 1000 * options.openSeconds }),
      ...(options.openMemoryBytes === undefined ? {} : { memory: options.openMemoryBytes }),
    },
    ...(options.maxChunkBytes === undefined ? {} : { chunkBytes: options.maxChunkBytes }),
    uploads: {
      ...(options.maxUploadBytes === undefined ? {} : { bytes: options.maxUploadBytes }),
      ...(options.uploadSeconds === undefined ? {} : { time: 1000 * options.uploadSeconds }),
    },
    statements: {
      ...(built === undefined ? {} : { entry: built.statementWorker }),
      ...(options.statementSeconds === undefined ? {} : { time: 1000 * options.statementSeconds }),
      ...(options.batchBytes === undefined ? {} : { messageBytes: options.batchBytes }),
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
      ...(stall === 0 ? {} : { beginMilliseconds: Math.min(stall, BEGINNING) }),
      ...(tls === undefined ? {} : { tls }),
      ...(options.maxMessageBytes === undefined ? {} : { maxReceiveBytes: options.maxMessageBytes }),
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
  return {
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

/** What OpenSSL does not take is said before anything listens. */
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
  return jsonLog(log ?? ((line) => void process.stderr.write(line)));
}

/** An address that cannot be had is the caller's. */
async function listening<T>(start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (cause) {
    if (isAnnarrowError(cause)) throw cause;
    throw new InvalidInputError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Lets calls in, counts and logs them. */
function watching({ access, metrics, log }: Serving) {
  const began = new WeakMap<ServerCall, number>();
  return {
    before(call: ServerCall): void {
      began.set(call, performance.now());
      // Who asks for a token has none yet.
      if (call.method === "Handshake") return;
      const [authorization] = call.metadata("authorization");
      const [plain] = call.metadata("auth-token-bin");
      try {
        access.check(authorization ?? (plain === undefined ? undefined : `Bearer ${plain}`));
      } catch (error) {
        throw flightError(error);
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
      else if (error.status === "INTERNAL") log("error", "request", { ...about, ...errorFields(error.cause ?? error) });
      else log("info", "request", { ...about, message: error.message });
    },
  };
}
