/** A file of a table, without positions that were added to the table, and with the own names of its columns. */

import { Field, type RecordBatch, Schema } from "apache-arrow";
import { NULL } from "../../arrow/type.js";
import { parseJsonObject } from "../../model/json-object.js";
import { renamedMetadata } from "../distinct-columns.js";
import { type AnyField, isChanged, ownField, ownNames, placesOfOwn } from "../own-columns.js";
import { recordBatch } from "../record-batch.js";
import type { BlocksOfRows, RowBlockFile } from "./file-table.js";

export function ownColumnsOfFile(file: RowBlockFile): RowBlockFile {
  const known = file.schema.fields.map(({ name, metadata }): AnyField => {
    return { name, metadata: parseJsonObject(metadata.get("annarrow") ?? "{}") ?? {} };
  });
  if (!known.some(isChanged)) return file;
  const places = placesOfOwn(known);
  const nameOf = ownNames(known);
  const schema = new Schema(
    places.map((place) => {
      const { type, nullable, metadata } = file.schema.fields[place];
      const own = ownField({ ...known[place], type: NULL, nullable }, nameOf);
      const others = [...metadata].filter(([key]) => key !== "annarrow");
      const annotated = own.metadata === undefined ? [] : [["annarrow", JSON.stringify(own.metadata)] as const];
      return new Field(own.name, type, nullable, new Map([...others, ...annotated]));
    }),
    new Map([...file.schema.metadata].map(([key, text]) => [key, renamedMetadata(key, text, nameOf)])),
  );
  const named = (batch: RecordBatch, columns: readonly number[]) =>
    recordBatch(new Schema(columns.map((at) => schema.fields[at])), batch.numRows, [...batch.data.children]);
  const withBounds = ({ blocks, bounds }: BlocksOfRows): BlocksOfRows => ({
    blocks,
    bounds: (block, column) => bounds?.(block, places[column]) ?? null,
  });
  const { inner } = file;
  return {
    ...{ name: file.name, kind: file.kind, schema, blocks: file.blocks },
    bounds: (block, column) => file.bounds?.(block, places[column]) ?? null,
    inner:
      inner === undefined ? undefined : async (block, options) => withBounds(await inner.call(file, block, options)),
    async *read(range, columns, options) {
      const own = columns.map((at) => places[at]);
      for await (const batch of file.read(range, own, options)) yield named(batch, columns);
    },
    async empty(columns, options) {
      const own = columns.map((at) => places[at]);
      return named(await file.empty(own, options), columns);
    },
  };
}
