/** Writes the encoding `awkward-array`: a form, and one array for each of its buffers. */

import type { Column } from "../../arrow/column.js";
import type { RaggedPiece } from "../../arrow/ragged/node-sink.js";
import { RaggedWriter } from "../../arrow/ragged/writer.js";
import { type ArrowField, type ArrowType, typeText } from "../../arrow/type.js";
import type { GroupWriter } from "../../containers/tree/container-writer.js";
import { located, UnsupportedError } from "../../model/errors.js";
import { encodingAttributes, integerAttribute, textAttribute } from "../attributes.js";
import { ArraySink, type ElementPlace, openGroup, pathOf, type SizedPlace } from "./array.js";
import type { ColumnSink } from "./context.js";

export async function openAwkward(place: SizedPlace, field: ArrowField): Promise<ColumnSink> {
  const element = pathOf(place);
  if (place.cx.container === "hdf5" && hasTimes(field.type)) {
    throw new UnsupportedError(`HDF5 has no type for times (${typeText(field.type)}); cast them, or write Zarr`, {
      element,
    });
  }
  const ragged = await located({ element }, () => new RaggedWriter(field));
  const group = await openGroup(place, encodingAttributes("awkward-array"));
  return new AwkwardSink(place, group, ragged);
}

/** A buffer. Its first rows are held back: if no more follow, the array is opened with a known length. */
interface Buffer {
  readonly first: RaggedPiece;
  sink: ArraySink | null;
}

class AwkwardSink implements ColumnSink {
  readonly #group: GroupWriter;
  readonly #ragged: RaggedWriter;
  readonly #place: ElementPlace;
  readonly #buffers = new Map<string, Buffer>();

  constructor(place: ElementPlace, group: GroupWriter, ragged: RaggedWriter) {
    this.#place = place;
    this.#group = group;
    this.#ragged = ragged;
  }

  async write(column: Column): Promise<void> {
    const pieces = await located({ element: pathOf(this.#place) }, () => this.#ragged.append(column));
    for (const piece of pieces) await this.#add(piece);
  }

  async close(): Promise<void> {
    const pieces = await located({ element: pathOf(this.#place) }, () => this.#ragged.finish());
    for (const piece of pieces) await this.#add(piece);
    for (const buffer of this.#buffers.values()) {
      const sink = buffer.sink ?? (await this.#open(buffer.first, buffer.first.rows));
      await sink.close();
    }
    this.#group.attribute("form", textAttribute(this.#ragged.form));
    this.#group.attribute("length", integerAttribute(this.#ragged.length));
  }

  async #add(piece: RaggedPiece): Promise<void> {
    const buffer = this.#buffers.get(piece.name);
    if (buffer === undefined) {
      this.#buffers.set(piece.name, { first: piece, sink: null });
      return;
    }
    buffer.sink ??= await this.#open(buffer.first, null);
    await buffer.sink.writeValues(piece.values, piece.rows);
  }

  async #open(first: RaggedPiece, rows: number | null): Promise<ArraySink> {
    const { name, type, shape, values } = first;
    const attributes = encodingAttributes("array");
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
