/** Whether decoded values have the form that their type and shape say. */

import { allocate, countElements, type StoredType, type StoredValues } from "../../src/model/stored.js";

/** What is wrong with `count` values of `type`; null where nothing is. */
export function unsound(type: StoredType, values: StoredValues, count: number): string | null {
  switch (values.kind) {
    case "variable": {
      if (type.kind !== "text" && type.kind !== "bytes") return `${type.kind} values of variable length`;
      const { offsets, bytes } = values;
      if (offsets.length !== count + 1) return `${offsets.length} offsets for ${count} values`;
      for (let i = 0; i < count; i++) if (offsets[i] > offsets[i + 1]) return `offset ${i + 1} is below the one before`;
      if (offsets[0] < 0 || offsets[count] > bytes.length)
        return `offsets to ${offsets[count]} of ${bytes.length} bytes`;
      return null;
    }
    case "record": {
      if (type.kind !== "record") return `${type.kind} values as records`;
      if (values.length !== count) return `${values.length} records for ${count}`;
      if (values.fields.length !== type.fields.length) return `${values.fields.length} of ${type.fields.length} fields`;
      for (const [i, field] of type.fields.entries()) {
        const wrong = unsound(field.type, values.fields[i], count * countElements(field.shape));
        if (wrong !== null) return `field ${field.name}: ${wrong}`;
      }
      return null;
    }
    case "fixed": {
      if (type.kind === "text" || type.kind === "record" || type.kind === "unsupported")
        return `${type.kind} as numbers`;
      const expected = allocate(type, count);
      // Bytes of 0 or 1, whatever their sign.
      if (type.kind === "bool" && values.values instanceof Int8Array && values.values.length === count) return null;
      if (values.values.constructor !== expected.constructor)
        return `${values.values.constructor.name} for ${type.kind}`;
      return values.values.length === expected.length ? null : `${values.values.length} for ${expected.length} numbers`;
    }
    case "sequence": {
      if (type.kind !== "sequence") return `${type.kind} as sequences`;
      const { offsets } = values;
      if (offsets.length !== count + 1 || offsets[0] !== 0) return `${offsets.length - 1} for ${count} sequences`;
      if (offsets.some((offset, i) => i > 0 && offset < offsets[i - 1])) return "sequences that end before they begin";
      return unsound(type.item, values.values, offsets[count] * countElements(type.shape ?? []));
    }
    default:
      return values satisfies never;
  }
}

/** The memory of values, to compare them. */
export function memoryOf(values: StoredValues): Uint8Array[] {
  switch (values.kind) {
    case "fixed":
      return [bytes(values.values)];
    case "variable":
      return [bytes(values.offsets), values.bytes];
    case "record":
      return values.fields.flatMap(memoryOf);
    case "sequence":
      return [bytes(values.offsets), ...memoryOf(values.values)];
    default:
      return values satisfies never;
  }
}

function bytes({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
