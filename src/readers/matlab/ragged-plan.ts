/**
 * Reads columns of lists, structs and unions that annarrow wrote: a form in JSON, and its buffers as the fields of a
 * struct.
 */

import { contentLength } from "../../arrow/ragged/content-length.js";
import { parseForm, type RaggedForm } from "../../arrow/ragged/form.js";
import type { StoredArray } from "../../containers/tree/container.js";
import type { ColumnPlan } from "../../jobs/plan/plan.js";
import { InvalidDataError } from "../../model/errors.js";
import { isJsonObject } from "../../model/json-object.js";
import { product, type StoredType } from "../../model/stored.js";
import { numericRows } from "./values/numeric.js";
import type { StructValue } from "./values/value.js";

/**
 * Makes the plan of a ragged column.
 * @param described the form and the buffers' fields in the table's JSON.
 * @throws {InvalidDataError} for a missing buffer, or buffers with fewer rows.
 */
export function raggedPlan(path: string, described: object, value: StructValue, rows: number): ColumnPlan {
  const form = parseForm(JSON.stringify("form" in described ? described.form : null));
  const types = numpyTypes(form);
  const names = "buffers" in described && isJsonObject(described.buffers) ? Object.entries(described.buffers) : [];
  const buffers = new Map<string, StoredArray>();
  for (const [name, field] of names) {
    const part = typeof field === "string" ? value.columns[value.fields.indexOf(field)]?.[0] : undefined;
    if (part?.kind === "failed") throw part.error;
    if (part?.kind !== "numeric")
      throw new InvalidDataError(`buffer ${name} is no vector of numbers`, { element: path });
    buffers.set(name, bufferOf(numericRows(part, false), types.get(name), `${path}/${name}`));
  }
  const available = contentLength(form, {
    length: (name) => {
      const buffer = buffers.get(name);
      if (buffer === undefined) throw new InvalidDataError(`buffer ${name} is missing`, { element: path });
      return buffer.shape?.[0] ?? 0;
    },
  });
  if (rows > available) {
    throw new InvalidDataError(`the buffers hold ${available} rows, the table has ${rows}`, { element: path });
  }
  return { kind: "ragged", form, length: rows, buffers };
}

type NumpyForm = Extract<RaggedForm, { class: "NumpyArray" }>;

/** The arrays of values in a form, by the names of their buffers. */
function numpyTypes(form: RaggedForm): ReadonlyMap<string, NumpyForm> {
  const all = new Map<string, NumpyForm>();
  for (const open: RaggedForm[] = [form]; open.length > 0; ) {
    const node = open.pop();
    if (node === undefined) break;
    if (node.class === "NumpyArray") all.set(`${node.key}-data`, node);
    else if ("contents" in node) for (const content of node.contents) open.push(content);
    else if ("content" in node) open.push(node.content);
  }
  return all;
}

/** Gives a buffer the type and the dimensions of the form. */
function bufferOf(array: StoredArray, numpy: NumpyForm | undefined, element: string): StoredArray {
  if (numpy === undefined) return array;
  const { type, innerShape } = numpy;
  if (!holds(array.type, type)) {
    throw new InvalidDataError(`values of type ${array.type.kind}, described as ${type.kind}`, { element });
  }
  const per = product(innerShape);
  const count = array.shape?.[0] ?? 0;
  if (per === 0 ? count > 0 : count % per !== 0) {
    throw new InvalidDataError(`${count} values in rows of ${per}`, { element });
  }
  const { kind, path, id, attributes } = array;
  return {
    ...{ kind, path, id, attributes, type, chunks: null },
    shape: [per === 0 ? 0 : count / per, ...innerShape],
    read: (start, end, options) => array.read(start * per, end * per, options),
  };
}

/** Whether a stored type holds a type of the form: times are stored as ticks, half floats as bits. */
function holds(stored: StoredType, wanted: StoredType): boolean {
  switch (wanted.kind) {
    case "datetime":
    case "timedelta":
      return stored.kind === "int" && stored.bits === 64 && stored.signed;
    case "float":
      if (wanted.bits === 16) return stored.kind === "int" && stored.bits === 16 && !stored.signed;
      return stored.kind === "float" && stored.bits === wanted.bits;
    case "int":
      return stored.kind === "int" && stored.bits === wanted.bits && stored.signed === wanted.signed;
    case "complex":
      return stored.kind === "complex" && stored.bits === wanted.bits;
    case "bool":
      return stored.kind === "bool";
    default:
      return false;
  }
}
