/** Splits the nodes and buffers of a record batch into the parts of each column, in order. */

import { DataType } from "apache-arrow";
import { InvalidDataError } from "../../model/errors.js";
import type { BatchHeader, FieldNode, Region } from "./message.js";
import type { FileField } from "./schema.js";

export interface ColumnParts {
  readonly nodes: readonly FieldNode[];
  readonly buffers: readonly Region[];
  readonly viewBuffers: readonly number[];
}

/**
 * Counts the parts of columns. For a dictionary column, `values` selects the parts that contain the dictionary's
 * values.
 */
class Counter {
  nodes = 0;
  buffers = 0;
  views = 0;

  constructor(readonly header: BatchHeader) {}

  add(field: FileField, values: boolean): void {
    this.nodes++;
    if (field.dictionary !== null && !values) {
      this.buffers += 2;
      return;
    }
    const type = getValueType(field);
    this.buffers += bufferCount(field, type, this.header);
    if (field.form === "view") this.buffers += this.header.viewBuffers[this.views++] ?? 0;
    for (const child of field.children) this.add(child, false);
  }
}

/** Returns the type of a field, or of its dictionary's values. */
export function getValueType({ field }: FileField): DataType {
  const type: DataType = field.type;
  return DataType.isDictionary(type) ? type.dictionary : type;
}

/** Returns the number of buffers for a type, without its children and without the data buffers of views. */
function bufferCount({ form }: FileField, type: DataType, { unionBitmaps }: BatchHeader): number {
  if (form === "run-ends") return 0;
  if (form === "list-view") return 3;
  if (DataType.isNull(type)) return 0;
  if (DataType.isStruct(type) || DataType.isFixedSizeList(type)) return 1;
  if (DataType.isUnion(type)) return (unionBitmaps ? 1 : 0) + (DataType.isDenseUnion(type) ? 2 : 1);
  if (DataType.isUtf8(type) || DataType.isBinary(type)) return form === "view" ? 2 : 3;
  return DataType.isLargeUtf8(type) || DataType.isLargeBinary(type) ? 3 : 2;
}

/**
 * Returns the parts of each column in `fields`.
 * @throws {InvalidDataError} if the message has more or fewer parts than the schema requires.
 */
export function getColumnParts(header: BatchHeader, fields: readonly FileField[], values = false): ColumnParts[] {
  const counter = new Counter(header);
  const parts = fields.map((field) => {
    const { nodes, buffers, views } = counter;
    counter.add(field, values);
    return {
      nodes: header.nodes.slice(nodes, counter.nodes),
      buffers: header.buffers.slice(buffers, counter.buffers),
      viewBuffers: header.viewBuffers.slice(views, counter.views),
    };
  });
  const found = [header.nodes.length, header.buffers.length, header.viewBuffers.length];
  const expected = [counter.nodes, counter.buffers, counter.views];
  if (found.some((count, i) => count !== expected[i])) {
    throw new InvalidDataError(
      `a record batch has ${found[0]} columns, ${found[1]} buffers and ${found[2]} views, its schema ${expected.join(", ")}`,
    );
  }
  return parts;
}
