/** Decodes run-length encoded vectors (`Rle` of S4Vectors). */

import { InvalidDataError, UnsupportedError } from "annarrow";
import { encodeStrings } from "../../../containers/rds/model/text.js";
import type { RValue } from "../../../containers/rds/model/value.js";
import { describeRValue, getRSlot, listRTexts, toWholeNumbers } from "./value.js";

/** Maximum number of decoded values, which the file size does not limit. */
const MAX_VALUES = 2 ** 25;

/** @throws {InvalidDataError} {UnsupportedError} */
export function expandRle(value: RValue): RValue {
  const values = getRSlot(value, "values");
  const lengths = toWholeNumbers(getRSlot(value, "lengths"), "lengths");
  let total = 0;
  for (const length of lengths) {
    if (length < 0) throw new InvalidDataError(`a run of ${length} values`);
    total += length;
  }
  if (total > MAX_VALUES) throw new UnsupportedError(`runs of ${total} values, more than ${MAX_VALUES}`);
  switch (values.kind) {
    case "logical":
    case "integer":
      return { ...values, values: repeated(values.values, lengths, new Int32Array(total)) };
    case "real":
      return { ...values, values: repeated(values.values, lengths, new Float64Array(total)) };
    case "character": {
      const texts = listRTexts(values.text);
      checkCount(texts.length, lengths);
      return {
        ...values,
        text: encodeStrings(texts.flatMap((one, i) => new Array<string | null>(lengths[i]).fill(one))),
      };
    }
    default:
      throw new UnsupportedError(`runs of ${describeRValue(values)}`);
  }
}

function repeated<T extends Int32Array | Float64Array>(values: T, lengths: Int32Array, to: T): T {
  checkCount(values.length, lengths);
  let at = 0;
  for (const [i, length] of lengths.entries()) {
    to.fill(values[i], at, at + length);
    at += length;
  }
  return to;
}

function checkCount(values: number, { length }: Int32Array): void {
  if (values !== length) throw new InvalidDataError(`${values} values in ${length} runs`);
}
