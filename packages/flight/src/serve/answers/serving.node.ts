/** The server state that is shared by both protocols. */

import type { GenericFileOptions } from "annarrow/core/api";
import { freeBytes } from "../../flight/free-memory.node.js";
import { Datasets } from "../datasets/datasets.node.js";
import { Folders } from "../datasets/folders.node.js";
import { removeLeft } from "../datasets/leftovers.node.js";
import { type ProbeOptions, ProbeProcesses } from "../datasets/probe-processes.node.js";
import { ClientLimit, getClient } from "../requests/client.js";
import { getErrorFields, type Log } from "../requests/log.js";
import { Metrics } from "../requests/metrics.js";
import type { DataRequest } from "../requests/request.js";
import { RequestLimit } from "../requests/request-limit.js";
import { RunningStreams } from "../requests/running-streams.js";
import { Tickets } from "../requests/tickets.node.js";
import { Access } from "../requests/tokens.node.js";
import { type StatementOptions, Statements } from "../statements/statements.node.js";
import { Answers } from "./answers.node.js";
import { Backpressure, type BackpressureOptions } from "./backpressure.js";
import type { EndpointPlanOptions } from "./flight-info.js";
import { type UploadOptions, Uploads } from "./uploads.node.js";

export interface ServingOptions {
  readonly folders: readonly string[];
  readonly token: string | null;
  readonly ticketKey: Uint8Array | null;
  readonly readOnly: boolean;
  readonly log: Log;
  readonly endpoints: EndpointPlanOptions;
  /**
   * Maximum number of concurrent data streams, and also of other requests that open files. One client may use three
   * quarters of the data streams. Sixteen times as many of each kind may wait.
   */
  readonly streams: number;
  readonly pace: BackpressureOptions;
  readonly uploads: UploadOptions;
  readonly statements: StatementOptions;
  readonly trials?: ProbeOptions;
  /** Where to look for companions (copies of matrices by gene). */
  readonly companion?: string;
  readonly plain?: GenericFileOptions;
  /** Maximum size of a decoded chunk in bytes. Decoding a chunk cannot be interrupted. */
  readonly chunkBytes?: number;
}

/** Limits on concurrent uploads of tables. */
const PUTS = { most: 64, mostOfOne: 16, waiting: 1024, waitingOfOne: 256 };

export class Serving {
  readonly folders: Folders;
  readonly datasets: Datasets;
  readonly answers: Answers;
  readonly statements: Statements;
  readonly uploads: Uploads;
  readonly tickets: Tickets;
  readonly access: Access;
  readonly running = new RunningStreams();
  readonly streams: ClientLimit;
  /** Limit on requests that inspect files and return no rows. They free their slot before the client reads anything. */
  readonly looks: RequestLimit;
  /** Limit on concurrent uploads of tables. Each of them holds a message in memory. */
  readonly puts = new ClientLimit("tables that are uploaded", PUTS);
  readonly metrics = new Metrics();
  readonly log: Log;
  readonly endpoints: EndpointPlanOptions;
  readonly isReadOnly: boolean;
  readonly #began = Date.now();
  /** Removes leftovers of earlier servers, concurrently with the first requests. */
  readonly #cleaning: Promise<void>;
  readonly #over = new AbortController();
  readonly #trials: ProbeProcesses;
  #isStopping = false;

  private constructor(folders: Folders, options: ServingOptions) {
    this.folders = folders;
    const { plain = {} } = options;
    this.#trials = new ProbeProcesses({ ...options.trials, plain });
    this.#trials.prepare();
    this.datasets = new Datasets(folders, this.#trials, {
      plain,
      companion: options.companion,
    });
    this.statements = new Statements(options.statements);
    const pace = new Backpressure({ free: freeBytes, ...options.pace });
    this.answers = new Answers(this.datasets, this.statements, pace, options.chunkBytes);
    this.uploads = new Uploads(folders, options.uploads);
    this.tickets = new Tickets(options.ticketKey ?? undefined);
    this.access = new Access(options.token);
    // One client may use most of the slots, but never all.
    const mostOfOne = Math.ceil((3 * options.streams) / 4);
    const waiting = 16 * options.streams;
    this.streams = new ClientLimit("streams", { most: options.streams, mostOfOne, waiting, waitingOfOne: waiting });
    this.looks = new RequestLimit(options.streams, "requests", 16 * options.streams);
    this.log = options.log;
    this.endpoints = options.endpoints;
    this.isReadOnly = options.readOnly;
    this.#cleaning = this.isReadOnly ? Promise.resolve() : this.#clean();
    const { metrics } = this;
    metrics.gauge("annarrow_streams", "Data streams that run.", () => this.streams.inside);
    metrics.gauge("annarrow_streams_waiting", "Data streams that wait for others to end.", () => this.streams.waiting);
    metrics.gauge("annarrow_looks", "Requests without rows that look into files.", () => this.looks.inside);
    metrics.gauge("annarrow_looks_waiting", "Such requests that wait for others to end.", () => this.looks.waiting);
    metrics.gauge("annarrow_statements", "Statements that run.", () => this.statements.running);
    metrics.gauge("annarrow_statements_waiting", "Statements that wait for others.", () => this.statements.waiting);
    metrics.gauge("annarrow_uploads", "Uploads that are under way.", () => this.uploads.size);
    metrics.gauge("annarrow_open_datasets", "Datasets that are open.", () => this.datasets.size);
    metrics.gauge("process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss());
    metrics.gauge(
      "nodejs_external_memory_bytes",
      "Memory outside of the heap, where batches lie.",
      () => process.memoryUsage().external,
    );
    metrics.gauge(
      "process_start_time_seconds",
      "When the process began, in seconds since 1970.",
      () => this.#began / 1000,
    );
  }

  /** @throws {NotFoundError} if a folder does not exist. */
  static async open(options: ServingOptions): Promise<Serving> {
    return new Serving(await Folders.open(options.folders), options);
  }

  /**
   * Waits for a slot among the data streams, or in the separate queue of statements. The caller releases the slot by
   * calling the returned function.
   * @throws {Refusal} if too many requests already wait.
   */
  room({ kind }: DataRequest, peer: string, signal: AbortSignal): Promise<() => void> {
    return kind === "sql" ? this.statements.turn(peer, signal) : this.streams.enter(getClient(peer), signal);
  }

  /**
   * Runs `action` once a slot is free.
   * @param enter waits for the slot, which is one of `looks` by default.
   * @throws {Refusal} if too many requests already wait.
   */
  async look<T>(
    signal: AbortSignal,
    action: () => Promise<T>,
    enter: () => Promise<() => void> = () => this.looks.enter(signal),
  ): Promise<T> {
    const leave = await enter();
    try {
      return await action();
    } finally {
      leave();
    }
  }

  health() {
    return {
      status: this.#isStopping ? "stopping" : "serving",
      seconds: Math.floor((Date.now() - this.#began) / 1000),
    };
  }

  /** Makes `health` report that the server is stopping. */
  stopping(): void {
    this.#isStopping = true;
  }

  async #clean(): Promise<void> {
    try {
      await removeLeft(this.folders.paths, this.log, this.#over.signal);
    } catch (error) {
      this.log("error", "what ended processes left could not be looked for", getErrorFields(error));
    }
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#cleaning;
    await this.uploads.close();
    this.statements.close();
    this.datasets.close();
    this.#trials.close();
  }
}
