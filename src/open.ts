/** From an input to a dataset: source, container, format, tables. */

import type { Container, Group } from "./containers/container.js";
import { openContainer } from "./containers/open-container.js";
import type { Dataset, Format } from "./dataset.js";
import {
  type AnnarrowError,
  InvalidDataError,
  InvalidInputError,
  isCancellation,
  located,
  NotFoundError,
} from "./errors.js";
import { nearest } from "./nearest.js";
import type { DatasetPlans } from "./readers/reader.js";
import type { ReadOptions, Source } from "./sources/source.js";
import { StoredTable } from "./tables/stored-table.js";

/** What can be opened everywhere: bytes, a `Blob` or `File`, the URL of a file or Zarr store, the keys of a store. */
export type Input = Uint8Array | Blob | URL | string | ReadonlyMap<string, Uint8Array>;

export interface OpenOptions {
  /** The group that holds the dataset, where it is not the root: `tables/table` of a SpatialData store. */
  readonly path?: string;
  /** What to do with text that is not UTF-8: an error (default), or read it as Latin-1. */
  readonly text?: "error" | "latin1";
  readonly signal?: AbortSignal;
}

/**
 * Opens an annotated matrix and reads its structure, no values.
 * @example
 * ```ts
 * const data = await open(new Uint8Array(await (await fetch("pbmc.h5ad")).arrayBuffer()));
 * const obs = await data.table("obs").read();
 * ```
 * @throws {NotFoundError} where there is nothing, or nothing that is an annotated matrix.
 * @throws {UnsupportedError} for containers and formats that are not read.
 * @throws {InvalidDataError} where the file breaks its own format.
 */
export async function open(input: Input, options: OpenOptions = {}): Promise<Dataset> {
  const read = options.signal === undefined ? {} : { signal: options.signal };
  return asDataset(openSource(await sourceOf(input, read), options));
}

/** The dataset with tables as the user holds them. The code for these loads while the file is opened. */
export async function asDataset(opening: Promise<OpenedDataset<StoredTable>>): Promise<Dataset> {
  const [opened, tables] = await Promise.allSettled([opening, import("./tables/planned-table.js")]);
  if (opened.status === "rejected") throw opened.reason;
  const { value: dataset } = opened;
  if (tables.status === "rejected") {
    await dataset.close();
    throw tables.reason;
  }
  const { PlannedTable } = tables.value;
  return dataset.map((table) => new PlannedTable(table));
}

/** The source of an input that needs no file system. */
export async function sourceOf(input: Input, read: ReadOptions = {}): Promise<Source> {
  if (typeof input === "string" || input instanceof URL) {
    return (await import("./sources/url.js")).urlSource(String(input), read);
  }
  if (input instanceof Uint8Array) return (await import("./sources/memory.js")).bytesSource(input);
  if (input instanceof Blob) return (await import("./sources/blob.js")).blobSource(input);
  if (typeof input?.entries === "function") return (await import("./sources/map.js")).mapSource(input);
  throw new InvalidInputError("an input is bytes, a Blob, a URL, or a Map of keys to bytes");
}

/** Opens what a source holds. `file` is its path in a file system, where it has one. No Arrow library is loaded. */
export async function openSource(
  source: Source,
  options: OpenOptions,
  file?: string,
): Promise<OpenedDataset<StoredTable>> {
  const read = options.signal === undefined ? {} : { signal: options.signal };
  const opened = located({ source: source.name }, async () => {
    let container: Container | undefined;
    try {
      container = await openContainer(source, file === undefined ? read : { ...read, path: file });
      const root = await groupAt(container, options.path ?? "");
      const { formatAt } = await import("./readers/formats.js");
      const { format, read: reader } = await formatAt(root, read);
      const plans = await reader(container, root, { ...read, text: options.text ?? "error" });
      const tables = new Map(plans.tables.map((plan) => [plan.name, new StoredTable(plan, source.name)]));
      return new OpenedDataset(format, container, plans, tables);
    } catch (error) {
      await (container ?? source).close();
      throw error;
    }
  });
  return opened.catch((error: unknown) => {
    // A cancellation keeps its own reason, whatever was interrupted by it.
    throw options.signal?.aborted === true && !isCancellation(error) ? options.signal.reason : error;
  });
}

async function groupAt(container: Container, path: string): Promise<Group> {
  let group = container.root;
  for (const name of path.split("/").filter((part) => part !== "")) {
    const node = await group.open(name);
    if (node.kind !== "group") throw new InvalidDataError("an array, a group is needed", { element: node.path });
    group = node;
  }
  return group;
}

export class OpenedDataset<T> implements Dataset<T> {
  readonly format: Format;
  readonly version: string;
  readonly shape: readonly [number, number] | null;
  readonly tables: ReadonlyMap<string, T>;
  readonly failures: ReadonlyMap<string, AnnarrowError>;
  readonly warnings: readonly string[];
  readonly #container: Container;
  readonly #plans: DatasetPlans;

  constructor(format: Format, container: Container, plans: DatasetPlans, tables: ReadonlyMap<string, T>) {
    this.format = format;
    this.version = plans.version;
    this.shape = plans.shape;
    this.tables = tables;
    this.failures = new Map(
      [...plans.failures].map(([name, error]) => [name, error.locate({ source: container.name, element: name })]),
    );
    this.warnings = plans.warnings;
    this.#container = container;
    this.#plans = plans;
  }

  get container(): Dataset["container"] {
    return this.#container.kind;
  }

  get source(): string {
    return this.#container.name;
  }

  table(name: string): T {
    const table = this.tables.get(name);
    if (table !== undefined) return table;
    const failure = this.failures.get(name);
    if (failure !== undefined) throw failure;
    const near = nearest(name, [...this.tables.keys()]);
    const meant = near.length === 0 ? "there is none that can be read" : `did you mean ${near.join(", ")}?`;
    throw new NotFoundError(`no table ${JSON.stringify(name)}; ${meant}`, { source: this.source });
  }

  /** The same dataset with its tables in another form. */
  map<U>(change: (table: T) => U): OpenedDataset<U> {
    const tables = new Map([...this.tables].map(([name, table]) => [name, change(table)]));
    return new OpenedDataset(this.format, this.#container, this.#plans, tables);
  }

  close(): Promise<void> {
    return this.#container.close();
  }
}
