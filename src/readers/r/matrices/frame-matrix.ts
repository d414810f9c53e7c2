/** Frames in the place of a matrix, as the assays of some experiments are: the matrix that R's `as.matrix` makes of them. */

import { textOf } from "../../../containers/rds/model/text.js";
import type { RValue } from "../../../containers/rds/model/value.js";
import { NA_INTEGER } from "../../../kernels/values/missing-in-r.js";
import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import { characters, type RFrame } from "../values/frame.js";
import { runsOf } from "../values/runs.js";
import { attributesOf, called, hasClass, textsOf } from "../values/value.js";
import { denseMatrix, type RMatrix } from "./forms.js";

type Vector = Extract<RValue, { kind: "logical" | "integer" | "real" | "character" }>;

/**
 * Makes the matrix of a frame, whose columns are its columns. Logicals, integers and real numbers beside each other become
 * the last of these that occurs.
 * @throws {UnsupportedError} for columns that are no numbers, unless all are text.
 */
export function frameMatrix({ rows, names, columns }: RFrame): RMatrix {
  const vectors = columns.map(([name, value]) => vectorOf(name, value, rows));
  const shape = [rows, columns.length] as const;
  return denseMatrix(joined(vectors, rows), shape, [names, characters(columns.map(([name]) => name))]);
}

function vectorOf(name: string, value: RValue, rows: number): Vector {
  const vector = hasClass(value, "Rle") ? runsOf(value) : value;
  const isVector =
    vector.kind === "logical" || vector.kind === "integer" || vector.kind === "real" || vector.kind === "character";
  if (!isVector || attributesOf(vector).has("class") || attributesOf(vector).has("dim")) {
    throw new UnsupportedError(`column ${JSON.stringify(name)} of a frame as a matrix is ${called(value)}`);
  }
  const count = vector.kind === "character" ? vector.text.encodings.length : vector.values.length;
  if (count !== rows) throw new InvalidDataError(`${count} values in column ${JSON.stringify(name)} of ${rows} rows`);
  return vector;
}

/** The values of all columns, one behind the other. */
function joined(vectors: readonly Vector[], rows: number): RValue {
  const texts = vectors.filter((one) => one.kind === "character");
  if (texts.length > 0) {
    if (texts.length < vectors.length) throw new UnsupportedError("a frame of text and numbers as a matrix");
    return { kind: "character", text: textOf(texts.flatMap(({ text }) => textsOf(text))), attributes: new Map() };
  }
  const numbers = vectors.filter((one) => one.kind !== "character");
  if (numbers.some(({ kind }) => kind === "real")) {
    const values = new Float64Array(rows * numbers.length);
    for (const [i, one] of numbers.entries()) {
      for (let row = 0; row < rows; row++) {
        const value = one.values[row];
        values[i * rows + row] = one.kind !== "real" && value === NA_INTEGER ? Number.NaN : value;
      }
    }
    return { kind: "real", values, attributes: new Map() };
  }
  const values = new Int32Array(rows * numbers.length);
  for (const [i, one] of numbers.entries()) values.set(one.values, i * rows);
  const kind = numbers.some((one) => one.kind === "integer") ? "integer" : "logical";
  return { kind, values, attributes: new Map() };
}
