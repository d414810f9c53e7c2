/** `val`: packed where it can be, else as it is. */

import type { GroupWriter } from "../../containers/tree/container-writer.js";
import type { Bp128Page } from "../../kernels/bp128/page.js";
import { located } from "../../model/errors.js";
import type { NumberArray } from "../../model/stored.js";
import { pathIn } from "./array-types.js";
import { PackedSink } from "./packed-sink.js";
import { STORED, type Values } from "./values.js";

export interface ValueSink {
  /** Appends the next values; once it resolves the memory may be used again. */
  write(numbers: NumberArray): Promise<void>;
  close(): Promise<void>;
}

/** @param page null where the matrix is not packed; floats never are. */
export async function openValues(group: GroupWriter, values: Values, page: Bp128Page | null): Promise<ValueSink> {
  if (page === null || values.type !== "uint") return plainValues(group, values);
  const sink = await PackedSink.open(group, "val", "m1", page);
  let done = 0;
  return {
    async write(numbers) {
      for (let from = 0; from < numbers.length; ) {
        const room = sink.room();
        const part = numbers.subarray(from, from + room.length);
        if (part instanceof Float32Array) {
          room.set(new Uint32Array(part.buffer, part.byteOffset, part.length));
          const wrong = sink.wholeFloats(part.length);
          if (wrong >= 0) throw values.notWhole(part[wrong], done + wrong);
        } else if (!(part instanceof Int32Array) || sink.put(part, 2 ** 31) < 0) {
          values.unsigned(part, room, done);
        }
        await sink.filled(part.length);
        from += part.length;
        done += part.length;
      }
    },
    close: () => sink.close(),
  };
}

async function plainValues(group: GroupWriter, values: Values): Promise<ValueSink> {
  const element = pathIn(group, "val");
  const array = await located({ element }, () => group.array("val", { type: STORED[values.type], shape: [null] }));
  let done = 0;
  const stored = (numbers: NumberArray) => {
    if (values.type !== "uint") return values.floats(numbers, done);
    if (numbers instanceof Uint32Array) return numbers;
    const out = new Uint32Array(numbers.length);
    values.unsigned(numbers, out, done);
    return out;
  };
  return {
    async write(numbers) {
      if (numbers.length === 0) return;
      const written = stored(numbers);
      done += numbers.length;
      await located({ element }, () => array.write({ kind: "fixed", values: written }, written.length));
    },
    close: () => located({ element }, () => array.close()),
  };
}
