/** JSON, one object per row: as lines or as one array. Integers keep all their digits, NaN and infinities are text. */

import type { DataTable } from "../dataset.js";
import { jsonText } from "./cell-text.js";
import { batchesOf, type SinkOptions } from "./stream.js";

export interface JsonOptions extends SinkOptions {
  /** One array of all rows instead of a line per row. */
  readonly array?: boolean;
}

const PIECE = 65536;

/** `table` as JSON. */
export async function* json(table: DataTable, options: JsonOptions = {}): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const names = table.schema.fields.map((field) => `${JSON.stringify(field.name)}:`);
  const between = options.array ? ",\n" : "\n";
  let first = true;
  let out = options.array ? "[" : "";
  for await (const batch of batchesOf(table, options)) {
    const texts = batch.data.children.map((data) => jsonText(data));
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
