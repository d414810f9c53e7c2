/** Vectors of numbers that stand for objects: `[0xDD000000, ndims, dims…, object ids…, class id]`. */

import type { StoredArray } from "../../../containers/tree/container.js";
import { InvalidDataError, isAnnarrowError } from "../../../model/errors.js";
import { product } from "../../../model/stored.js";
import { attributeMetadata } from "./attributes.js";
import type { MatlabContext, ValueScope } from "./context.js";
import { numbersOf } from "./memory-array.js";
import type { ObjectValue, RawValue, Value } from "./value.js";

const MAGIC = 0xdd000000;

/** More objects than any real variable has. */
const MAX_WORDS = 2 ** 22;

/** Whether a dataset that is not marked as an object is one: those within objects are not. */
export async function isObjectVector(dataset: StoredArray): Promise<boolean> {
  const shape = dataset.shape ?? [];
  if (!isWords(dataset) || product(shape) <= 3) return false;
  // The first row is as long as the file says.
  if (product(shape.slice(1)) > MAX_WORDS) return false;
  const read = await dataset.read(0, 1);
  return read.kind === "fixed" && read.values[0] === MAGIC;
}

function isWords({ type, shape }: StoredArray): boolean {
  return type.kind === "int" && type.bits === 32 && !type.signed && (shape?.length ?? 0) >= 1;
}

/** What the store does not have stays as it is, and is said. */
export async function objectValue(
  dataset: StoredArray,
  name: string,
  place: ValueScope,
  cx: MatlabContext,
): Promise<Value> {
  const size = [...(dataset.shape ?? [])].reverse();
  const raw = (reason: string): RawValue => {
    return {
      kind: "raw",
      class: name,
      size,
      metadata: attributeMetadata(dataset),
      array: dataset,
      reason,
      node: dataset,
    };
  };
  if (!(await isObjectVector(dataset))) return raw("its form is not that of MATLAB's objects");
  if (cx.store === null) return raw("the file has no object store that could be read");
  try {
    return await decoded(dataset, place, cx, cx.store);
  } catch (error) {
    if (!isAnnarrowError(error)) throw error;
    return raw(error.problem);
  }
}

async function decoded(
  dataset: StoredArray,
  place: ValueScope,
  cx: MatlabContext,
  store: NonNullable<MatlabContext["store"]>,
): Promise<ObjectValue> {
  const words = await numbersOf(dataset, MAX_WORDS);
  const [, rank] = words;
  if (rank > words.length - 3) throw new InvalidDataError(`${rank} dimensions in ${words.length} words`);
  const size = words.slice(2, 2 + rank);
  const count = product(size);
  if (count > words.length - 3 - rank) {
    throw new InvalidDataError(`${size.join(" x ")} objects in ${words.length} words`);
  }
  const ids = words.slice(2 + rank, 2 + rank + count);
  const name = store.className(words[words.length - 1]);
  const objects: ReadonlyMap<string, Value>[] = [];
  for (const id of ids) objects.push(await store.properties(id, place.within, cx));
  const metadata = { ...attributeMetadata(dataset), objects: ids };
  return { kind: "object", class: name, size, metadata, objects, node: dataset };
}
