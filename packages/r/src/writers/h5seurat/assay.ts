/** The assay: its matrices and features, and the reductions and graphs that belong to it. */

import { InvalidInputError } from "annarrow";
import type { ArrowField, Column } from "annarrow/core/arrow";
import { decodeTextValues, encodeStoredTexts } from "annarrow/core/arrow";
import type { GroupWriter, WrittenAttribute } from "annarrow/core/containers";
import { isBitSet } from "annarrow/core/kernels";
import { UnsupportedElementError } from "annarrow/core/model";
import type { ColumnTable } from "annarrow/core/tables";
import { readTableBatches } from "annarrow/core/tables";
import type { WriterContext } from "annarrow/core/writers";
import { createTextsAttribute, TEXT, writeFirstColumn } from "annarrow/core/writers";
import { createTextAttribute } from "annarrow/format";
import { DistinctNames } from "../distinct-names.js";
import { findReduction, RANKS, sortByRank, toReductionName, toSeuratKey } from "../seurat-names.js";
import { writePositions } from "./cells.js";
import { createIntegersAttribute, toHdf5Text, writeArray } from "./context.js";
import { checkName, writeFrame } from "./frame.js";
import { getDenseWidth, isSparseTable, writeDenseColumns, writeDenseRows, writeSparseMatrix } from "./matrix.js";
import { openVector } from "./vector.js";

/** Name suffix of projected loadings, as in the reader. */
const PROJECTED = ".projected";

interface Sizes {
  readonly cells: number;
  readonly features: number;
}

/** Element that contains the feature names of scaled data if these cover only some features, as in the reader. */
const SCALED = "uns/scale.data.features";

export class AssayWriter {
  readonly #group: GroupWriter;
  readonly #at: (name: string) => GroupWriter;
  readonly #name: string;
  readonly #sizes: Sizes;
  readonly #tables: ReadonlyMap<string, ColumnTable>;
  readonly #cx: WriterContext;
  readonly #reductions = new Map<string, Promise<GroupWriter>>();
  #names: string[] = [];

  private constructor(
    group: GroupWriter,
    at: (name: string) => GroupWriter,
    name: string,
    sizes: Sizes,
    tables: ReadonlyMap<string, ColumnTable>,
    cx: WriterContext,
  ) {
    this.#group = group;
    this.#at = at;
    this.#name = name;
    this.#sizes = sizes;
    this.#tables = tables;
    this.#cx = cx;
  }

  /** @param at returns a group of the object by name. */
  static async open(
    at: (name: string) => GroupWriter,
    name: string,
    sizes: Sizes,
    tables: ReadonlyMap<string, ColumnTable>,
    cx: WriterContext,
  ): Promise<AssayWriter> {
    const group = await at("assays").group(
      name,
      new Map([["key", createTextAttribute(toSeuratKey(name.toLowerCase()))]]),
    );
    return new AssayWriter(group, at, name, sizes, tables, cx);
  }

  /**
   * Writes `var`. A boolean column `highly_variable` also defines the variable features.
   * @returns the number of rows.
   */
  async features(table: ColumnTable, index: string | undefined): Promise<number> {
    const features = await this.#group.array("features", { type: TEXT, shape: [table.rows] });
    const frame = await this.#group.group("meta.features");
    const chosen: boolean[] = [];
    const ranks: number[] = [];
    const ranked = table.fields.find(
      ({ name, type }) => RANKS.includes(name) && type.id === "Float" && type.bits !== 16,
    )?.name;
    const rows = await writeFrame(
      frame,
      table,
      {
        index,
        distinct: new DistinctNames(table.name, this.#cx),
        onNames: async (names) => {
          for (const one of names) this.#names.push(one);
          if (names.length === 0) return;
          await features.write(toHdf5Text(encodeStoredTexts(names), table.name, this.#cx), names.length);
        },
        onColumn: (name, column) => {
          if (name === "highly_variable" && column.type.id === "Bool")
            for (const flag of flagsOf(column)) chosen.push(flag);
          if (name === ranked && column.layout === "primitive")
            for (const rank of column.values) ranks.push(Number(rank));
        },
      },
      this.#cx,
    );
    await features.close();
    const variable = sortByRank(
      this.#names.flatMap((name, i) => (chosen[i] ? [{ name, rank: ranks[i] ?? Number.NaN }] : [])),
    );
    if (variable.length > 0)
      await writeArray(this.#group, "variable.features", TEXT, encodeStoredTexts(variable), variable.length);
    if (this.#names.some((name) => name.includes("_"))) {
      this.#cx.warn(`${table.name}: Seurat replaces "_" in the names of features by "-"`);
    }
    return rows;
  }

  /** Writes positions in place of names if the features have no names. */
  async positions(): Promise<void> {
    const { features } = this.#sizes;
    this.#cx.warn(`var: nothing names the ${features} features, so that their names are their positions; give var`);
    await writePositions(this.#group, "features", features);
    this.#names = Array.from({ length: features }, (_, i) => String(i));
  }

  /** Writes a matrix with cells as rows and features as columns. */
  async layer(table: ColumnTable, name: string): Promise<number> {
    const { cells, features } = this.#sizes;
    checkShape(table, [cells, features]);
    const place = { cx: this.#cx, parent: this.#group, name };
    if (name === "scale.data") await this.#scaledFeatures(this.#names);
    if (!isSparseTable(table)) {
      if (getDenseWidth(table) !== features) throw wrongSize(table, getDenseWidth(table), features);
      return writeDenseRows(place, table, cells);
    }
    if (name === "scale.data") throw new UnsupportedElementError("a sparse matrix; scaled values of Seurat are dense");
    return writeSparseMatrix(place, table, [cells, features], "transposed");
  }

  async #scaledFeatures(names: readonly string[]): Promise<void> {
    await writeArray(this.#group, "scaled.features", TEXT, encodeStoredTexts(names), names.length);
  }

  /** Whether an element of `uns` is written together with another element. */
  isUsed(name: string): boolean {
    if (name === SCALED) return this.#tables.has("obsm/scale.data");
    const key = /^uns\/(.+)\/stdev$/.exec(name)?.[1];
    return key !== undefined && this.#embeddings().has(`X_${key}`) && isNumbers(this.#tables.get(name));
  }

  #embeddings(): ReadonlySet<string> {
    return new Set([...this.#tables.keys()].flatMap((name) => /^obsm\/([^/]+)$/.exec(name)?.[1] ?? []));
  }

  /** Writes an element of `obsm`: coordinates of the cells, or scaled values of some features. */
  async reduction(table: ColumnTable, key: string): Promise<number> {
    const { cells } = this.#sizes;
    const scaled = key === "scale.data" ? this.#tables.get(SCALED) : undefined;
    if (scaled !== undefined) {
      const names = await textsOf(scaled, this.#cx);
      if (names.length !== getDenseWidth(table)) throw wrongSize(table, getDenseWidth(table), names.length);
      await this.#scaledFeatures(names);
      return writeDenseRows({ cx: this.#cx, parent: this.#group, name: "scale.data" }, table, cells);
    }
    if (isSparseTable(table))
      throw new UnsupportedElementError("a sparse matrix; the places of cells in a reduction are dense");
    getDenseWidth(table);
    const name = toReductionName(key);
    const group = await this.#reduction(name);
    const rows = await writeDenseColumns({ cx: this.#cx, parent: group, name: "cell.embeddings" }, table, cells);
    const stdev = this.#tables.get(`uns/${name}/stdev`);
    if (stdev !== undefined && this.isUsed(stdev.name)) await this.#vector(stdev, group, "stdev");
    return rows;
  }

  async #vector(table: ColumnTable, parent: GroupWriter, name: string): Promise<void> {
    const sink = await openVector(
      { cx: this.#cx, parent, name, element: table.name, rows: table.rows },
      table.fields[0],
    );
    await writeFirstColumn(sink, table, this.#cx);
  }

  #reduction(name: string): Promise<GroupWriter> {
    let group = this.#reductions.get(name);
    if (group === undefined) {
      checkName(name);
      const isGlobal = /tsne|umap/i.test(name);
      group = this.#at("reductions")
        .group(
          name,
          new Map([
            ["active.assay", createTextAttribute(this.#name)],
            ["key", createTextAttribute(toSeuratKey(name))],
            ["global", createIntegersAttribute([isGlobal ? 1 : 0])],
            ...this.#origin(name),
          ]),
        )
        .then(async (made) => {
          await made.group("misc");
          return made;
        });
      this.#reductions.set(name, group);
    }
    return group;
  }

  /** Returns an attribute with a reduction's element names if the reader would assign other names. */
  #origin(name: string): readonly (readonly [string, WrittenAttribute])[] {
    const embeddings = this.#embeddings();
    const key = [...embeddings].find((one) => toReductionName(one) === name);
    const loaded = [...this.#tables.keys()].find(
      (one) =>
        /^varm\/[^/]+$/.test(one) && findReduction(one.slice("varm/".length), (own) => embeddings.has(own)) === key,
    );
    const names = [
      ...(key === undefined || key === `X_${name}` ? [] : [`obsm/${key}`]),
      ...(loaded === undefined || loaded === `varm/${name}` ? [] : [loaded]),
    ];
    return names.length === 0 ? [] : [["annarrow", createTextsAttribute(names)]];
  }

  /** Writes an element of `varm`: the loadings of a reduction. */
  async loadings(table: ColumnTable, key: string): Promise<number> {
    const isProjected = key.endsWith(PROJECTED);
    const own = isProjected ? key.slice(0, -PROJECTED.length) : key;
    const embeddings = this.#embeddings();
    const embedding = findReduction(own, (one) => embeddings.has(one));
    if (embedding === null || isSparseTable(table)) {
      throw new UnsupportedElementError("an h5Seurat file has dense loadings of reductions alone, which are in obsm");
    }
    const width = getDenseWidth(table);
    if (width === 0) throw new UnsupportedElementError("loadings without columns");
    const group = await this.#reduction(toReductionName(embedding));
    const names = isProjected ? "projected.features" : "features";
    const name = isProjected ? "feature.loadings.projected" : "feature.loadings";
    const rows = await writeDenseColumns({ cx: this.#cx, parent: group, name }, table, this.#sizes.features);
    await writeArray(group, names, TEXT, encodeStoredTexts(this.#names), this.#names.length);
    return rows;
  }

  async graph(table: ColumnTable, key: string): Promise<number> {
    const { cells } = this.#sizes;
    checkName(key);
    if (!isSparseTable(table)) throw new UnsupportedElementError("a dense matrix; graphs of Seurat are sparse");
    checkShape(table, [cells, cells]);
    const used = new Map([["assay.used", createTextAttribute(this.#name)]]);
    const place = { cx: this.#cx, parent: this.#at("graphs"), name: key };
    return writeSparseMatrix(place, table, [cells, cells], "same", used);
  }
}

function isNumbers(table: ColumnTable | undefined): boolean {
  const field: ArrowField | undefined = table?.fields[0];
  return table?.fields.length === 1 && (field?.type.id === "Float" || field?.type.id === "Int");
}

function checkShape(table: ColumnTable, [rows, columns]: readonly [number, number]): void {
  const shape = table.metadata?.shape;
  if (shape?.length !== 2 || table.remembered === true) return;
  if (shape[0] === rows && shape[1] === columns) return;
  throw new InvalidInputError(`shape ${JSON.stringify(shape)}, there are ${rows} and ${columns}`, {
    element: table.name,
  });
}

function wrongSize({ name }: ColumnTable, found: number, expected: number): InvalidInputError {
  return new InvalidInputError(`${found} columns, there are ${expected} features`, { element: name });
}

function flagsOf(column: Column): boolean[] {
  if (column.layout !== "primitive") return [];
  const bits = new Uint8Array(column.values.buffer, column.values.byteOffset, column.values.byteLength);
  const valid = column.validity?.bitmap ?? null;
  return Array.from({ length: column.length }, (_, i) => isBitSet(bits, i) && (valid === null || isBitSet(valid, i)));
}

async function textsOf(table: ColumnTable, cx: WriterContext): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const { columns } of readTableBatches(table, cx)) {
    const [column] = columns;
    if (column.layout !== "variable") throw new UnsupportedElementError("names are text", { element: table.name });
    for (const text of decodeTextValues(column)) texts.push(text ?? "NA");
  }
  return texts;
}
