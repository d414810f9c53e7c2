/**
 * Writes JSON with one object per row, as lines or as one array. Integers keep all their digits; NaN and infinities
 * become text.
 */

import { DataType, type Field } from "apache-arrow";
import { createJsonFormatter } from "../../arrow/apache/cell-text.js";
import { findRepeatedName } from "../../kernels/text/names.js";
import type { DataTable } from "../../model/dataset.js";
import { UnsupportedError } from "../../model/errors.js";
import { type SinkOptions, streamBatches } from "../stream.js";

export interface JsonOptions extends SinkOptions {
  /** Whether to write one array of all rows instead of one line per row. */
  readonly array?: boolean;
}

const PIECE = 65536;

/**
 * Writes `table` as JSON.
 * @throws {UnsupportedError} if several columns, or fields of a struct, have the same name, because an object has only
 * one value for each name.
 */
export async function* encodeJson(table: DataTable, options: JsonOptions = {}): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  checkNames(table.schema.fields, "columns", table.name);
  const names = table.schema.fields.map((field) => `${JSON.stringify(field.name)}:`);
  const between = options.array ? ",\n" : "\n";
  let first = true;
  let out = options.array ? "[" : "";
  for await (const batch of streamBatches(table, options)) {
    const texts = batch.data.children.map((data) => createJsonFormatter(data));
    for (let row = 0; row < batch.numRows; row++) {
      out += `${first ? "" : between}{${texts.map((text, i) => names[i] + text(row)).join(",")}}`;
      first = false;
      if (out.length > PIECE) {
        yield encoder.encode(out);
        out = "";
      }
    }
  }
  out += options.array ? "]\n" : first ? "" : "\n";
  if (out !== "") yield encoder.encode(out);
}

function checkNames(fields: readonly Field[], what: string, element: string): void {
  const twice = findRepeatedName(fields.map(({ name }) => name));
  if (twice !== null) {
    const name = JSON.stringify(twice);
    throw new UnsupportedError(`${what} share the name ${name}, a JSON object has one value for it; choose columns`, {
      element,
    });
  }
  for (const { name, type } of fields) checkWithin(type, `fields of the column ${JSON.stringify(name)}`, element);
}

function checkWithin(type: DataType, what: string, element: string): void {
  if (DataType.isDictionary(type)) checkWithin(type.dictionary, what, element);
  else if (DataType.isStruct(type)) checkNames(type.children, what, element);
  else for (const child of type.children ?? []) checkWithin(child.type, what, element);
}
