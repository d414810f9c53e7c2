/** Writes tables as an AnnData store in any container, using the current version of each encoding. */

import type { Column } from "../../arrow/column.js";
import { decodeTextValues } from "../../arrow/text.js";
import type { ArrowField } from "../../arrow/type.js";
import { decodeDictionary } from "../../arrow/written-values.js";
import type { ContainerWriter, GroupWriter } from "../../containers/tree/container-writer.js";
import { InvalidInputError, locateError, UnsupportedElementError } from "../../model/errors.js";
import { type AxisName, getElementAxes } from "../../tables/axes.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { findFrameIndex } from "../../tables/frame-index.js";
import { createEncodingAttributes } from "../attributes.js";
import { createWriterContext, type WriterOptions, type WrittenRootLayout, type WrittenTables } from "../context.js";
import { getElementPath } from "./array.js";
import { KnownAxes } from "./axes.js";
import { type AnnDataWriterContext, type ChunkCopyOptions, MemoryBudget, type Profile } from "./context.js";
import { checkPositions, type FrameOptions } from "./dataframe.js";
import { detectElementForm, type ElementEncoding, getKnownSizes, writeElement } from "./element.js";
import { checkElements, checkNames, ElementGroups, readMappingTypes } from "./groups.js";
import { dropRowNames, findRowNamesColumn, RowNames } from "./row-names.js";

export interface AnnDataOptions extends WriterOptions {
  /**
   * Encodings for tables that were never elements: `portable` (which anndata 0.8 can also read), or those of a version.
   */
  readonly profile: Profile;
  /** [observations, variables]; null if unknown to the caller. */
  readonly shape: readonly [number, number] | null;
  /** Options for copying the stored chunks of matrices; null or absent if they are encoded again. */
  readonly keep?: ChunkCopyOptions | null;
  /** Storage order of the sparse matrices `X`, `raw/X` and `layers/*`. If absent, each matrix keeps its order. */
  readonly order?: "csr" | "csc";
  /** Index columns of dataframes, keyed by table name. */
  readonly index?: Readonly<Record<string, string>>;
}

/** Memory for columns whose encoding depends on their values. */
const COLUMN_BYTES = 2 ** 26;

const ANNDATA: WrittenRootLayout = {
  attributes: createEncodingAttributes("anndata"),
  mappings: ["layers", "obsm", "varm", "obsp", "varp", "uns"],
  needsFrames: true,
};

/** Dataframes that are written first, because other tables are checked against them. */
const FRAMES = ["obs", "var", "raw/var"];

/**
 * Writes the tables below `root`. The container is not closed.
 * @param layout the root's attributes and mappings; by default those of AnnData.
 * @throws {InvalidInputError} for tables whose sizes do not match (the message names both tables and both numbers), for
 * names that anndata rejects, and, unless losses are allowed, for values without an anndata encoding.
 */
export async function writeAnnData(
  { kind, root }: Pick<ContainerWriter, "kind" | "root">,
  tables: ReadonlyMap<string, ColumnTable>,
  options: AnnDataOptions,
  layout = ANNDATA,
): Promise<WrittenTables> {
  const warnings: string[] = [];
  const shared = createWriterContext(options, warnings);
  const cx: AnnDataWriterContext = {
    ...shared,
    container: kind,
    profile: options.profile,
    keep: options.keep ?? null,
    columnMemory: new MemoryBudget(COLUMN_BYTES),
    progress: (element, done, total) => shared.progress(getElementPath({ parent: root, name: element }), done, total),
  };
  const leaves = new Map([...tables].filter(([, table]) => !table.derived));
  const derived = [...tables.values()].filter((table) => table.derived);
  const groups = [...layout.mappings, "raw", "raw/varm"];
  checkNames(tables.keys(), new Set(derived.map((table) => table.name)));
  for (const name of groups) {
    if (leaves.has(name)) throw new InvalidInputError("a mapping, no table: name what is in it", { element: name });
  }
  checkElements(tables.values(), layout, root.path);
  const index = new Map(Object.entries(options.index ?? {}));
  const elements = new Map<string, WrittenElement>(
    [...leaves].map(([name, table]) => {
      const form = inOrder(detectElementForm(table), name, options.order);
      return [name, { table, form, index: index.get(name) ?? null }];
    }),
  );
  const rowNames = takeRowNames(elements, (): readonly string[] | null => writer.namesOf("obs"));
  const axes = knownAxes(elements, options.shape);
  const mappings = await readMappingTypes(derived, cx);
  const writer = new Writer(root, new ElementGroups(cx, root, mappings), elements, axes, rowNames);

  const described: AxisName[] = leaves.has("raw/X") ? ["obs", "var", "raw/var"] : ["obs", "var"];
  const unnamed = layout.needsFrames ? described.filter((axis) => !leaves.has(axis)) : [];
  if (!cx.lossy) for (const axis of unnamed) checkPositions(axes.length(axis), axis);

  for (const [name, value] of layout.attributes) root.attribute(name, value);
  const order = [
    ...FRAMES.filter((name) => leaves.has(name)),
    ...[...leaves.keys()].filter((name) => !FRAMES.includes(name)),
  ];
  for (const name of leaves.keys()) warnOfSlash(getElementPath({ parent: root, name }), name, cx);
  for (const name of order) await writer.write(name);
  for (const axis of unnamed) await writer.positions(axis);
  const raw = [...leaves.keys()].some((name) => name.startsWith("raw/")) ? ["raw/varm"] : [];
  const absent = leaves.get("obs")?.metadata?.absent;
  const left = new Set<unknown>(Array.isArray(absent) ? absent : []);
  await writer.mappings([...layout.mappings, ...raw].filter((name) => !left.has(name)));
  await writer.mappings(mappings.keys());
  return { tables: writer.written, warnings };
}

/** Keys of elements along the axes, if they contain a `/`. */
const NESTED = /^((?:layers|obsm|varm|obsp|varp|raw\/varm)\/)[^/]+\//;

/**
 * Warns about a key with `/`. As in anndata up to 0.12, it is written as nested groups, which no anndata version can
 * open.
 */
function warnOfSlash(path: string, name: string, { warn }: AnnDataWriterContext): void {
  const [, mapping] = NESTED.exec(name) ?? [];
  if (mapping === undefined) return;
  const key = name.slice(mapping.length);
  const legal = `${path.slice(0, path.length - key.length)}${key.replaceAll("/", "_")}`;
  warn(`${path}: a key with "/", with which anndata opens no file; give it another name (--rename ${path}=${legal})`);
}

/** Returns the form of a matrix of cells and genes in the order that the caller requested. */
function inOrder(form: ElementEncoding, name: string, order: AnnDataOptions["order"]): ElementEncoding {
  if (order === undefined || form.kind !== "sparse" || !/^(X|raw\/X|layers\/.+)$/.test(name)) return form;
  return { kind: "sparse", order: order === "csr" ? "row" : "column" };
}

/** A table, its element form, and the index column that the caller named. */
interface WrittenElement {
  readonly table: ColumnTable;
  readonly form: ElementEncoding;
  readonly index: string | null;
}

/** Separates the row names from the main matrix; returns null if it has no row names. */
function takeRowNames(elements: Map<string, WrittenElement>, known: () => readonly string[] | null): RowNames | null {
  const matrix = elements.get("X");
  const place = matrix?.form.kind === "unstacked" ? findRowNamesColumn(matrix.table) : null;
  if (matrix === undefined || place === null) return null;
  const names = new RowNames(known);
  elements.set("X", { ...matrix, table: dropRowNames(matrix.table, place, (texts) => names.take(texts)) });
  return names;
}

/**
 * Returns the axis lengths that are known before any rows are read, so that tables of other lengths are rejected early.
 */
function knownAxes(elements: ReadonlyMap<string, WrittenElement>, shape: readonly [number, number] | null): KnownAxes {
  const axes = new KnownAxes();
  const names = [...FRAMES, ...elements.keys()];
  for (const name of new Set(names)) {
    const element = elements.get(name);
    if (element === undefined) continue;
    const { table, form } = element;
    axes.note(name, getKnownSizes(table, form));
    const shape = table.metadata?.shape;
    if (table.remembered === true && form.kind === "sparse" && shape?.length === 2) axes.remember(name, shape);
  }
  if (shape !== null) axes.note("X", shape, true);
  return axes;
}

class Writer {
  readonly written: { readonly name: string; readonly rows: number }[] = [];
  readonly #root: GroupWriter;
  readonly #groups: ElementGroups;
  readonly #elements: ReadonlyMap<string, WrittenElement>;
  readonly #axes: KnownAxes;
  /** Names of observations and variables. They are stored only if a dataframe without an index needs them. */
  readonly #names = new Map<AxisName, string[]>();
  /** Names of observations that the main matrix contains. */
  readonly #rowNames: RowNames | null;

  constructor(
    root: GroupWriter,
    groups: ElementGroups,
    elements: ReadonlyMap<string, WrittenElement>,
    axes: KnownAxes,
    rowNames: RowNames | null,
  ) {
    this.#root = root;
    this.#groups = groups;
    this.#elements = elements;
    this.#axes = axes;
    this.#rowNames = rowNames;
  }

  /** Returns the names written in an axis's dataframe; null if it has no names, or if they are not needed. */
  namesOf(axis: AxisName): readonly string[] | null {
    return this.#names.get(axis) ?? null;
  }

  async write(name: string): Promise<void> {
    const own = this.#elements.get(name);
    if (own === undefined) throw new TypeError(`no table ${name}`);
    const { table, form } = own;
    this.#groups.cx.signal?.throwIfAborted();
    const element = getElementPath({ parent: this.#root, name });
    try {
      const place = await this.#groups.placeOf(name);
      const { sizes, rows } = await writeElement(place, table, form, this.#axes, this.#frame(name, own));
      this.#axes.note(name, sizes);
      this.written.push({ name, rows });
    } catch (error) {
      throw locateError(error, { element, table: name });
    }
  }

  /**
   * Writes a dataframe for an axis without a table. Its names come from the matrix or, if the matrix has none, are
   * positions.
   */
  async positions(axis: AxisName): Promise<void> {
    const length = this.#axes.length(axis);
    if (length === null) {
      throw new InvalidInputError(`nothing says how many rows it has: give ${axis}, X, or the shape`, {
        element: axis,
      });
    }
    const place = await this.#groups.placeOf(axis);
    const names = axis === "obs" ? (this.#rowNames?.names ?? null) : this.#columnNames(axis);
    if (length > 0 && names === null) {
      place.cx.warn(
        `${getElementPath(place)}: nothing names the ${length} rows, so that their names are their positions; give a table ${axis} with names`,
      );
    }
    await writeElement(place, emptyFrame(axis, length), { kind: "dataframe" }, this.#axes, { names });
  }

  /** Returns the names of variables from the matrix's column names; null if these are only positions. */
  #columnNames(axis: AxisName): readonly string[] | null {
    const matrix = axis === "obs" ? undefined : this.#elements.get(axis === "var" ? "X" : "raw/X");
    if (matrix?.form.kind !== "unstacked") return null;
    const names = matrix.table.fields.map(({ name }) => name);
    return names.every((name, k) => name === String(k)) ? null : names;
  }

  async mappings(paths: Iterable<string>): Promise<void> {
    for (const path of paths) await this.#groups.at(path);
  }

  #frame(name: string, element: WrittenElement): FrameOptions {
    const [axis] = getElementAxes(name);
    const index = { index: element.index ?? undefined };
    if (axis === null) return index;
    if (axis !== name) return { ...index, names: this.#names.get(axis) ?? null };
    const names: string[] = [];
    if (this.#needsNames(axis)) this.#names.set(axis, names);
    return {
      ...index,
      aside: (field) => this.#aside(axis, field),
      onIndex: this.#names.has(axis)
        ? (index) =>
            textsOf(index).forEach((one) => {
              names.push(one);
            })
        : undefined,
    };
  }

  /**
   * Whether the names of an axis are needed by the main matrix, or by a frame without an index below `obsm` or `varm`.
   */
  #needsNames(axis: AxisName): boolean {
    if (axis === "obs" && this.#rowNames !== null) return true;
    return [...this.#elements.values()].some(
      ({ table, form, index }) =>
        table.name !== axis &&
        getElementAxes(table.name)[0] === axis &&
        form.kind === "dataframe" &&
        findFrameIndex(table, index ?? undefined).guessed,
    );
  }

  /** Returns the location for a column that dataframes cannot contain: an element of `obsm`, `varm` or `raw/varm`. */
  async #aside(axis: AxisName, { name }: ArrowField) {
    const path = `${axis === "obs" ? "obsm" : axis === "var" ? "varm" : "raw/varm"}/${name}`;
    if (this.#elements.has(path)) {
      throw new UnsupportedElementError(
        `column ${JSON.stringify(name)} would be ${path}, and there is such a table: rename one`,
      );
    }
    return this.#groups.placeOf(path);
  }
}

function emptyFrame(name: string, rows: number): ColumnTable {
  return {
    name,
    fields: [],
    metadata: null,
    schemaMetadata: new Map(),
    rows,
    derived: false,
    repeatable: true,
    layouts: [],
    layout: () => Promise.reject(new TypeError("a frame has one layout")),
    async *batches() {
      yield { length: rows, columns: [] };
    },
  };
}

/**
 * Returns the names of an axis as text.
 * @throws {InvalidInputError} if the names are not text.
 */
function textsOf(column: Column): string[] {
  if (column.layout === "dictionary") return textsOf(decodeDictionary(column));
  if (column.layout === "variable") return decodeTextValues(column).map((text) => text ?? "");
  throw new InvalidInputError(
    "names that are no text cannot be those of other frames: give these an index of their own",
  );
}
