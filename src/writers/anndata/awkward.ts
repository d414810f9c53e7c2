/** Writes the encoding `awkward-array`: a form, and one array for each of its buffers. */

import type { Column } from "../../arrow/column.js";
import type { RaggedBufferRows } from "../../arrow/ragged/node-sink.js";
import { RaggedWriter } from "../../arrow/ragged/writer.js";
import { type ArrowField, type ArrowType, describeArrowType } from "../../arrow/type.js";
import type { GroupWriter } from "../../containers/tree/container-writer.js";
import { runWithLocation, UnsupportedError } from "../../model/errors.js";
import { createEncodingAttributes, createIntegerAttribute, createTextAttribute } from "../attributes.js";
import type { ColumnSink } from "../column-sink.js";
import { ArraySink, type ElementDestination, getElementPath, openGroup, type SizedDestination } from "./array.js";

export async function openAwkward(place: SizedDestination, field: ArrowField): Promise<ColumnSink> {
  const element = getElementPath(place);
  if (place.cx.container === "hdf5" && hasTimes(field.type)) {
    throw new UnsupportedError(
      `HDF5 has no type for times (${describeArrowType(field.type)}); cast them, or write Zarr`,
      {
        element,
      },
    );
  }
  const ragged = await runWithLocation({ element }, () => new RaggedWriter(field));
  const group = await openGroup(place, createEncodingAttributes("awkward-array"));
  return new AwkwardSink(place, group, ragged);
}

/** A buffer. Its first rows are held back. If no rows follow, the array is created with a known length. */
interface Buffer {
  readonly first: RaggedBufferRows;
  sink: ArraySink | null;
}

class AwkwardSink implements ColumnSink {
  readonly #group: GroupWriter;
  readonly #ragged: RaggedWriter;
  readonly #place: ElementDestination;
  readonly #buffers = new Map<string, Buffer>();

  constructor(place: ElementDestination, group: GroupWriter, ragged: RaggedWriter) {
    this.#place = place;
    this.#group = group;
    this.#ragged = ragged;
  }

  async write(column: Column): Promise<void> {
    const pieces = await runWithLocation({ element: getElementPath(this.#place) }, () => this.#ragged.append(column));
    for (const piece of pieces) await this.#add(piece);
  }

  async close(): Promise<void> {
    const pieces = await runWithLocation({ element: getElementPath(this.#place) }, () => this.#ragged.finish());
    for (const piece of pieces) await this.#add(piece);
    for (const buffer of this.#buffers.values()) {
      const sink = buffer.sink ?? (await this.#open(buffer.first, buffer.first.rows));
      await sink.close();
    }
    this.#group.attribute("form", createTextAttribute(this.#ragged.form));
    this.#group.attribute("length", createIntegerAttribute(this.#ragged.length));
  }

  async #add(piece: RaggedBufferRows): Promise<void> {
    const buffer = this.#buffers.get(piece.name);
    if (buffer === undefined) {
      this.#buffers.set(piece.name, { first: piece, sink: null });
      return;
    }
    buffer.sink ??= await this.#open(buffer.first, null);
    await buffer.sink.writeValues(piece.values, piece.rows);
  }

  async #open(first: RaggedBufferRows, rows: number | null): Promise<ArraySink> {
    const { name, type, shape, values } = first;
    const attributes = createEncodingAttributes("array");
    const place = { cx: this.#place.cx, parent: this.#group, name, rows };
    const sink = await ArraySink.open(place, { type, shape }, { attributes });
    await sink.writeValues(values, first.rows);
    return sink;
  }
}

function hasTimes(type: ArrowType): boolean {
  switch (type.id) {
    case "Date32":
    case "Timestamp":
    case "Duration":
      return true;
    case "List":
    case "FixedSizeList":
      return hasTimes(type.item.type);
    case "Struct":
    case "DenseUnion":
      return type.fields.some((one) => hasTimes(one.type));
    case "Dictionary":
      return hasTimes(type.value);
    default:
      return false;
  }
}
