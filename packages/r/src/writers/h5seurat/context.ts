/** What the writers of all parts share: attributes in the form that SeuratDisk writes. */

import { cutTextsAtNul } from "annarrow/core/arrow";
import type { GroupWriter, WrittenAttribute } from "annarrow/core/containers";
import type { IntType, StoredType, StoredValues } from "annarrow/core/model";
import { reportLoss, type WriterContext } from "annarrow/core/writers";

export const INT32: IntType = { kind: "int", bits: 32, signed: true };
export const FLOAT64 = { kind: "float", bits: 64 } as const satisfies StoredType;

export function createIntegersAttribute(values: readonly number[]): WrittenAttribute {
  return { type: INT32, shape: [values.length], values: { kind: "fixed", values: Int32Array.from(values) } };
}

/**
 * Converts text for HDF5, where a NUL ends a text.
 * @throws {InvalidInputError} for a NUL, unless losses are allowed.
 */
export function toHdf5Text(values: StoredValues, element: string, cx: WriterContext): StoredValues {
  if (values.kind !== "variable" || values.bytes.indexOf(0) < 0) return values;
  reportLoss(cx, element, {
    problem: "text with a NUL, at which text ends in HDF5",
    instead: "it is written up to there",
    remedy: "take the NULs out",
  });
  return cutTextsAtNul(values);
}

export async function writeArray(
  parent: GroupWriter,
  name: string,
  type: StoredType,
  values: StoredValues,
  rows: number,
  attributes: ReadonlyMap<string, WrittenAttribute> = new Map(),
): Promise<void> {
  const array = await parent.array(name, { type, shape: [rows], attributes });
  if (rows > 0) await array.write(values, rows);
  await array.close();
}
