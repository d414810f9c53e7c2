/** An opened dataset: its tables, its parts, and its text form for consoles and notebooks. */

import type { ReadOptions } from "../io/sources/source.js";
import type { DatasetContainer, DataTable, Format, TableSet, VectorOptions } from "../model/dataset.js";
import { closeAfterUse } from "../model/disposal.js";
import { type AnnarrowError, isAnnarrowError, NotFoundError, runWithLocation } from "../model/errors.js";
import { findNearestNames } from "../model/nearest.js";
import { checkOptions, SIGNAL_OPTION } from "../model/option-names.js";
import { checkSelection, type Selection } from "../model/selection.js";
import type { NumberArray } from "../model/stored.js";
import { checkVectorOptions } from "../model/table-options.js";
import type { DatasetGeneIndex } from "../query/gene-index/dataset-gene-index.js";
import { AxisNameCache } from "../selection/axis-names.js";
import type { StoredTable } from "../tables/stored-table.js";
import { displayDataset } from "./display/display.js";
import { type Displayed, INSPECT, JUPYTER, renderDatasetText } from "./display/plain.js";

export interface DatasetProperties extends Omit<TableSet, "tables" | "table"> {
  /**
   * Absent if changes of the input cannot be detected.
   * @throws {InvalidDataError} if the input has changed since it was opened.
   */
  readonly checkUnchanged?: () => Promise<void>;
  /** The companion from which the matrices may be read; absent if the input has no companion. */
  readonly companion?: DatasetGeneIndex;
}

/** A stored element, or a table from a separate file. */
export type OpenedTable = StoredTable | DataTable;

export interface DatasetOrigin {
  /** True if the dataset may lack some of its source's content. */
  readonly isPart: boolean;
  /** Paths of files that the dataset opens when it is read, so that they may be closed now. */
  readonly inputs: readonly string[];
}

/** @throws {InvalidDataError} if a dataset's input has changed since it was opened. */
export async function checkDataset(dataset: object | undefined): Promise<void> {
  if (dataset instanceof OpenedDataset) await dataset.checkUnchanged();
}

/** Throws if an input has changed. Otherwise, a file that changes while it is read would be reported as corrupt. */
export async function throwIfChanged(checkUnchanged: () => Promise<void>): Promise<void> {
  await checkUnchanged().catch((error: unknown) => {
    if (isAnnarrowError(error) && error.code === "source-changed") throw error;
  });
}

/** Creates a dataset whose tables have not yet been converted to the form for users. */
export function createOpenedDataset(
  properties: DatasetProperties,
  tables: ReadonlyMap<string, OpenedTable>,
): OpenedDataset<OpenedTable> {
  return new OpenedDataset(properties, tables, (stored) => stored);
}

export class OpenedDataset<T extends OpenedTable> implements TableSet<T> {
  readonly format: Format;
  readonly version: string;
  readonly container: DatasetContainer;
  readonly shape: readonly [number, number] | null;
  readonly source: string;
  readonly tables: ReadonlyMap<string, T>;
  readonly failures: ReadonlyMap<string, AnnarrowError>;
  readonly warnings: readonly string[];
  readonly origin: DatasetOrigin;
  readonly #properties: DatasetProperties;
  readonly #form: (table: OpenedTable) => T;
  readonly #names = new AxisNameCache();

  /** @param form converts a table of a part to the form of the dataset's tables. */
  constructor(
    properties: DatasetProperties,
    tables: ReadonlyMap<string, T>,
    form: (table: OpenedTable) => T,
    origin: DatasetOrigin = { isPart: false, inputs: [] },
  ) {
    const { format, version, container, shape, source, failures, warnings } = properties;
    this.format = format;
    this.version = version;
    this.container = container;
    this.shape = shape;
    this.source = source;
    this.tables = tables;
    this.failures = new Map([...failures].map(([name, error]) => [name, error.locate({ source, element: name })]));
    this.warnings = warnings;
    this.origin = origin;
    this.#properties = properties;
    this.#form = form;
  }

  table(name: string): T {
    const table = this.tables.get(name);
    if (table !== undefined) return table;
    const failure = this.failures.get(name);
    if (failure !== undefined) throw failure;
    const near = findNearestNames(name, [...this.tables.keys()]);
    const meant = near.length === 0 ? "there is none that can be read" : `did you mean ${near.join(", ")}?`;
    throw new NotFoundError(`no table ${JSON.stringify(name)}; ${meant}`, { source: this.source });
  }

  /** Returns the dataset with its tables in another form. */
  map<U extends OpenedTable>(change: (table: OpenedTable) => U): OpenedDataset<U> {
    const tables = new Map([...this.tables].map(([name, table]) => [name, change(table)]));
    return new OpenedDataset(this.#properties, tables, (stored) => change(stored), this.origin);
  }

  async select(selection: Selection): Promise<OpenedDataset<T>> {
    const { selectDatasetPart } = await import("./select.js");
    const { tables, ...part } = await runWithLocation({ source: this.source }, () => {
      checkSelection(selection);
      return selectDatasetPart(this, selection, this.#names);
    });
    const parts = new Map<string, T>();
    for (const [name, table] of tables) {
      // If the selection does not change a table, it already has its final form.
      const own = this.tables.get(name);
      parts.set(name, own === table ? own : this.#form(table));
    }
    const close = async () => undefined;
    return new OpenedDataset({ ...this.#properties, ...part, close }, parts, this.#form, {
      ...this.origin,
      isPart: true,
    });
  }

  async obsNames(options: ReadOptions = {}): Promise<readonly string[] | null> {
    checkOptions(options, "obsNames", SIGNAL_OPTION);
    return (await import("./select.js")).readAxisNameList(this, "obs", this.#names, options.signal);
  }

  async varNames(options: ReadOptions = {}): Promise<readonly string[] | null> {
    checkOptions(options, "varNames", SIGNAL_OPTION);
    return (await import("./select.js")).readAxisNameList(this, "var", this.#names, options.signal);
  }

  gene(name: string, options?: VectorOptions): Promise<NumberArray>;
  gene(names: readonly string[], options?: VectorOptions): Promise<ReadonlyMap<string, NumberArray>>;
  async gene(wanted: string | readonly string[], options: VectorOptions = {}) {
    return this.#vectors("var", wanted, options);
  }

  cells(name: string, options?: VectorOptions): Promise<NumberArray>;
  cells(names: readonly string[], options?: VectorOptions): Promise<ReadonlyMap<string, NumberArray>>;
  async cells(wanted: string | readonly string[], options: VectorOptions = {}) {
    return this.#vectors("obs", wanted, options);
  }

  async #vectors(called: "obs" | "var", wanted: string | readonly string[], options: VectorOptions) {
    const { readAxisVectors } = await import("./select.js");
    const names = typeof wanted === "string" ? [wanted] : wanted;
    const vectors = await runWithLocation({ source: this.source }, () => {
      checkVectorOptions(options, called === "var" ? "gene" : "cells");
      return readAxisVectors(this, called, names, options, this.#names);
    });
    return typeof wanted === "string" ? vectors.get(wanted) : vectors;
  }

  /** The companion from which the matrices may be read; null if the input has no companion. */
  get companion(): DatasetGeneIndex | null {
    return this.#properties.companion ?? null;
  }

  /** @throws {InvalidDataError} if the input is found to have changed since it was opened. */
  async checkUnchanged(): Promise<void> {
    await this.#properties.checkUnchanged?.();
  }

  close(): Promise<void> {
    return this.#properties.close();
  }

  declare [Symbol.asyncDispose]: () => Promise<void>;

  [JUPYTER](): Promise<Displayed> {
    return displayDataset(this);
  }

  [INSPECT](): string {
    return renderDatasetText(this);
  }
}

closeAfterUse(OpenedDataset.prototype);
