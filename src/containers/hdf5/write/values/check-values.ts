/** Whether values are those of a type, before any of them is written. */

import { allocate, product, type StoredType, type VariableValues } from "../../../../model/stored.js";
import type { SequenceValues, WrittenType, WrittenValues } from "../../../tree/container-writer.js";

/** @throws {TypeError} where these are not `count` values of the type. */
export function checkValues(type: WrittenType, values: WrittenValues, count: number): void {
  if (type.kind === "sequence") {
    checkSequences(type.item, expectKind(values, "sequence"), count);
  } else if (type.kind === "text" || (type.kind === "bytes" && type.width === null)) {
    checkVariable(type.kind, expectKind(values, "variable"), count);
  } else if (type.kind === "record") {
    const { length, fields } = expectKind(values, "record");
    expect("records", length, count);
    expect("fields", fields.length, type.fields.length);
    type.fields.forEach((field, i) => {
      checkValues(field.type, fields[i], count * product(field.shape));
    });
  } else {
    checkFixed(type, values, count);
  }
}

function checkFixed(type: StoredType, values: WrittenValues, count: number): void {
  const found = expectKind(values, "fixed").values;
  const [none, one] = [allocate(type, 0), allocate(type, 1)];
  if (none.constructor.name !== found.constructor.name) {
    throw new TypeError(`${type.kind} values in a ${found.constructor.name}, not in a ${none.constructor.name}`);
  }
  expect(`${type.kind} values`, found.length, count * one.length);
}

function checkSequences(item: StoredType, { offsets, values }: SequenceValues, count: number): void {
  checkOffsets("sequences", offsets, count);
  checkValues(item, values, offsets[count]);
}

function checkVariable(kind: string, { offsets, bytes }: VariableValues, count: number): void {
  checkOffsets(`${kind} values`, offsets, count);
  if (offsets[count] > bytes.length) {
    throw new TypeError(`${kind} values end at byte ${offsets[count]} of ${bytes.length}`);
  }
}

function checkOffsets(what: string, offsets: Int32Array, count: number): void {
  expect(what, offsets.length - 1, count);
  if (offsets[0] < 0) throw new TypeError(`${what} begin at ${offsets[0]}`);
  for (let i = 0; i < count; i++) {
    if (offsets[i + 1] < offsets[i]) {
      throw new TypeError(`${what}: number ${i} ends at ${offsets[i + 1]}, before its begin at ${offsets[i]}`);
    }
  }
}

function expectKind<K extends WrittenValues["kind"]>(values: WrittenValues, kind: K): WrittenValues & { kind: K } {
  if (!isKind(values, kind)) throw new TypeError(`values of the kind ${values.kind}, not ${kind}`);
  return values;
}

function isKind<K extends WrittenValues["kind"]>(
  values: WrittenValues,
  kind: K,
): values is WrittenValues & { kind: K } {
  return values.kind === kind;
}

function expect(what: string, found: number, wanted: number): void {
  if (found !== wanted) throw new TypeError(`${found} ${what} where ${wanted} belong`);
}
