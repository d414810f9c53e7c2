/** The tables of a dataset or a modality, and the axes that they share. */

import { InvalidInputError } from "annarrow";
import { decodeTextValues, formatDecimals } from "annarrow/core/arrow";
import { locateError, NothingToWriteError } from "annarrow/core/model";
import type { ColumnTable } from "annarrow/core/tables";
import { type AxisName, getElementAxes } from "annarrow/core/tables";
import type { LossyContext } from "annarrow/core/writers";
import type { RValue } from "../../containers/rds/model/value.js";
import { DistinctNames } from "../distinct-names.js";
import type { RWriterContext, WrittenValue } from "./context.js";
import { readFrame, type WrittenFrame } from "./frame.js";
import { createTransposedMatrix, type NamedAxes } from "./matrix.js";

export interface DatasetOptions {
  /** Whether rows must have unique names. */
  readonly namesAreNeeded?: boolean;
  /** [observations, variables], if known to the caller. */
  readonly shape: readonly [number, number] | null;
  /** Index columns of dataframes, keyed by table name. */
  readonly index: Readonly<Record<string, string>>;
}

/** A written table's name and number of rows. */
export type Written = { readonly name: string; readonly rows: number };

export class DatasetTables {
  readonly cx: RWriterContext;
  readonly written: Written[];
  readonly #tables: ReadonlyMap<string, ColumnTable>;
  readonly #frames: ReadonlyMap<AxisName, WrittenFrame>;

  private constructor(
    cx: RWriterContext,
    tables: ReadonlyMap<string, ColumnTable>,
    frames: ReadonlyMap<AxisName, WrittenFrame>,
    written: Written[],
  ) {
    this.cx = cx;
    this.written = written;
    this.#tables = tables;
    this.#frames = frames;
  }

  /**
   * Reads the dataframes of a dataset.
   * @param tables the tables, keyed by AnnData element name.
   * @throws {NothingToWriteError} if the number of cells or features is unknown.
   */
  static async open(
    tables: ReadonlyMap<string, ColumnTable>,
    { shape, index, namesAreNeeded = false }: DatasetOptions,
    cx: RWriterContext,
  ): Promise<DatasetTables> {
    const frames = new Map<AxisName, WrittenFrame>();
    const written: Written[] = [];
    const named = (frame: WrittenFrame, axis: string) => (namesAreNeeded ? withDistinctNames(frame, axis, cx) : frame);
    const axes: readonly AxisName[] = tables.has("raw/X") ? ["obs", "var", "raw/var"] : ["obs", "var"];
    for (const axis of axes) {
      const table = tables.get(axis);
      if (table === undefined) {
        const rows = sizeOf(tables, axis) ?? (axis === "obs" ? shape?.[0] : axis === "var" ? shape?.[1] : undefined);
        if (rows === undefined) {
          throw new NothingToWriteError(
            `nothing tells how many rows ${axis} has: give ${axis}, a matrix, or the shape`,
          );
        }
        frames.set(axis, named({ rows, names: null, columns: new Map() }, axis));
        continue;
      }
      const frame = await nameTableInErrors(table.name, () => readFrame(table, index[table.name] ?? index[axis], cx));
      frames.set(axis, named(frame, table.name));
      written.push({ name: table.name, rows: frame.rows });
    }
    return new DatasetTables(cx, tables, frames, written);
  }

  frame(axis: AxisName): WrittenFrame {
    const frame = this.#frames.get(axis);
    if (frame === undefined) throw new TypeError(`no frame ${axis}`);
    return frame;
  }

  /** Returns the table of an axis; null if there is none. */
  table(axis: AxisName): ColumnTable | null {
    return this.#tables.get(axis) ?? null;
  }

  withCells(cells: WrittenFrame): DatasetTables {
    return new DatasetTables(this.cx, this.#tables, new Map([...this.#frames, ["obs", cells]]), this.written);
  }

  has(name: string): boolean {
    return this.#tables.has(name);
  }

  /** Returns the tables directly below a mapping, keyed by their names in the mapping. */
  below(mapping: string): readonly (readonly [key: string, table: ColumnTable])[] {
    const prefix = `${mapping}/`;
    return [...this.#tables].flatMap(([name, table]) =>
      name.startsWith(prefix) && !table.derived ? [[name.slice(prefix.length), table] as const] : [],
    );
  }

  axes(name: string): NamedAxes {
    const [row, column] = getElementAxes(name);
    const [rows, columns] = [row, column].map((axis) => (axis === null ? null : this.frame(axis)));
    return {
      sizes: [rows?.rows ?? 0, columns?.rows ?? 0],
      names: [rows?.names ?? null, columns?.names ?? null],
      tables: [row, column],
    };
  }

  /**
   * Returns the matrix `name` with features as rows and cells as columns; null if there is none.
   * @param hasNames whether the matrix includes its row and column names.
   */
  async matrix(name: string, hasNames = true): Promise<RValue | null> {
    const table = this.#tables.get(name);
    if (table === undefined) return null;
    return this.element(table, () => {
      this.#checkShape(name, table);
      const axes = this.axes(name);
      return createTransposedMatrix(table, hasNames ? axes : { ...axes, names: [null, null] }, this.cx);
    });
  }

  /** Writes an element, and records it in `written`. */
  async element(table: ColumnTable, write: () => Promise<WrittenValue>): Promise<RValue> {
    this.cx.signal?.throwIfAborted();
    const { value, rows } = await nameTableInErrors(table.name, write);
    this.written.push({ name: table.name, rows });
    return value;
  }

  #checkShape(name: string, { metadata }: ColumnTable): void {
    const shape = metadata?.shape;
    if (shape?.length !== 2) return;
    for (const [dimension, axis] of getElementAxes(name).entries()) {
      const expected = axis === null ? null : this.frame(axis).rows;
      if (expected === null || shape[dimension] === expected) continue;
      throw new InvalidInputError(
        `${shape[dimension]} ${dimension === 0 ? "rows" : "columns"}, ${axis} has ${expected} rows`,
        { element: name },
      );
    }
  }
}

/** Adds the table name to errors, so that the caller can omit the table. */
export async function nameTableInErrors<T>(name: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw locateError(error, { element: name, table: name });
  }
}

function sizeOf(tables: ReadonlyMap<string, ColumnTable>, axis: AxisName): number | undefined {
  for (const [name, { metadata, rows }] of tables) {
    const dimension = getElementAxes(name).indexOf(axis);
    if (dimension < 0) continue;
    const size = metadata?.shape?.[dimension] ?? (metadata?.kind === "dataframe" && dimension === 0 ? rows : null);
    if (typeof size === "number") return size;
  }
  return undefined;
}

// Frames whose rows must have distinct names.

/**
 * Makes the row names of a dataframe distinct. Rows without names are named by their positions, as in anndata.
 * @throws {RefusedError} for names that occur twice or are empty. If losses are allowed, these names are numbered
 * instead.
 */
function withDistinctNames(
  frame: WrittenFrame,
  element: string,
  cx: LossyContext,
): WrittenFrame & { readonly names: readonly string[] } {
  if (frame.names === null) {
    return { ...frame, names: decodeTextValues(formatDecimals(0, 1, frame.rows)).map((name) => name ?? "") };
  }
  return { ...frame, names: new DistinctNames(element, cx).add(frame.names) };
}
