/**
 * Writes columns of lists, structs and unions that have no equivalent in MATLAB as Awkward Array buffers, in a struct
 * with a vector for each buffer. The table's description contains the form, which relates the buffers to each other.
 */

import type { Column } from "../../arrow/column.js";
import type { RaggedBufferRows } from "../../arrow/ragged/node-sink.js";
import { RaggedWriter } from "../../arrow/ragged/writer.js";
import type { ArrowField, ArrowType } from "../../arrow/type.js";
import { runWithLocation } from "../../model/errors.js";
import type { NumberArray, StoredType } from "../../model/stored.js";
import type { ColumnTable } from "../../tables/column-table.js";
import { type RowsContext, readTableBatches } from "../../tables/rows.js";
import type { ColumnSink } from "../column-sink.js";
import { createMatlabAttributes, createPythonDict } from "./attributes.js";
import { openGroup, type ValueDestination, type ValueGroup } from "./context.js";
import { NO_METADATA } from "./metadata.js";
import { createNumericSink, type NumericSink } from "./numeric.js";
import { createFieldsAttribute } from "./struct.js";

/** Description of a column, which is part of the table's description. */
export interface RaggedDescription {
  readonly form: unknown;
  readonly length: number;
  /** The struct's field names, keyed by buffer name. */
  readonly buffers: Readonly<Record<string, string>>;
}

export class RaggedColumn implements ColumnSink<RaggedDescription> {
  readonly #struct: ValueGroup;
  readonly #ragged: RaggedWriter;
  readonly #buffers = new Map<string, NumericSink>();

  private constructor(struct: ValueGroup, ragged: RaggedWriter) {
    this.#struct = struct;
    this.#ragged = ragged;
  }

  /**
   * Opens the struct for a column.
   * @throws {UnsupportedError} for types that Awkward Array does not have.
   */
  static async open(place: ValueDestination, field: ArrowField): Promise<RaggedColumn> {
    const ragged = await runWithLocation({ element: place.element }, () => new RaggedWriter(field));
    const struct = await openGroup(place, createMatlabAttributes(place, NO_METADATA, { class: "struct" }));
    return new RaggedColumn(struct, ragged);
  }

  async write(column: Column): Promise<void> {
    const pieces = await runWithLocation({ element: this.#struct.place.element }, () => this.#ragged.append(column));
    for (const piece of pieces) await this.#add(piece);
  }

  async close(): Promise<RaggedDescription> {
    const pieces = await runWithLocation({ element: this.#struct.place.element }, () => this.#ragged.finish());
    for (const piece of pieces) await this.#add(piece);
    for (const buffer of this.#buffers.values()) await buffer.close();
    const fields = [...this.#buffers.keys()].map(fieldOf);
    const { place } = this.#struct;
    const listed = fields.length === 0 ? null : await createFieldsAttribute(fields, place);
    const value = { class: null, ...createPythonDict(place.cx, fields), fields: listed ?? undefined };
    this.#struct.addAttributes(createMatlabAttributes(place, NO_METADATA, value));
    const form: unknown = JSON.parse(this.#ragged.form);
    const buffers = Object.fromEntries([...this.#buffers.keys()].map((name) => [name, fieldOf(name)]));
    return { form, length: this.#ragged.length, buffers };
  }

  async #add({ name, type, values }: RaggedBufferRows): Promise<void> {
    const sink = this.#buffers.get(name) ?? this.#open(name, type);
    this.#buffers.set(name, sink);
    if (values.kind !== "fixed") throw new TypeError("buffers are of fixed width");
    await sink.write(values.values, valuesIn(values.values, type));
  }

  #open(name: string, type: StoredType): NumericSink {
    const form = { rows: null, rowShape: [], isRow: false, metadata: NO_METADATA };
    return createNumericSink(this.#struct.field(fieldOf(name)), { ...form, type: numberType(type) });
  }
}

/** Returns the number of values in an array. Multidimensional arrays are written value by value. */
function valuesIn(values: NumberArray, type: StoredType): number {
  return type.kind === "complex" ? values.length / 2 : values.length;
}

/** Returns the stored type for a buffer. Times become ticks, and half floats become their bits. */
function numberType(type: StoredType): StoredType {
  if (type.kind === "datetime" || type.kind === "timedelta") return { kind: "int", bits: 64, signed: true };
  return type.kind === "float" && type.bits === 16 ? { kind: "int", bits: 16, signed: false } : type;
}

/** Returns the field name for a buffer: `node0-offsets` becomes `node0_offsets`. */
function fieldOf(name: string): string {
  return name.replaceAll("-", "_");
}

/**
 * Finds columns of number lists with missing values, which MATLAB's arrays cannot contain. A table that can be read
 * only once is not searched.
 */
export async function findMissingItemColumns(table: ColumnTable, cx: RowsContext): Promise<ReadonlySet<number>> {
  const places = table.fields.flatMap(({ type }, i) => (mayMissInside(type) ? [i] : []));
  const found = new Set<number>();
  if (places.length === 0 || !table.repeatable) return found;
  for await (const { columns } of readTableBatches(table, cx, true)) {
    for (const place of places) if (missesInside(columns[place])) found.add(place);
  }
  return found;
}

function mayMissInside(type: ArrowType): boolean {
  if (type.id !== "List" && type.id !== "FixedSizeList") return false;
  return type.item.nullable || mayMissInside(type.item.type);
}

function missesInside(column: Column): boolean {
  if (column.layout !== "list" && column.layout !== "fixed-size-list") return false;
  const { child } = column;
  return (child.validity?.nullCount ?? 0) > 0 || missesInside(child);
}
