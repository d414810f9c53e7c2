/** Arrays derived from another array. They have the other array's name, but no chunks. */

import type { ReadOptions } from "../../io/sources/source.js";
import { allocate, countElements, type StoredType, type StoredValues, viewAsBytes } from "../../model/stored.js";
import type { StoredArray } from "../tree/container.js";

/** Storage from which copied rows are read. */
export interface RowStorage {
  /** Fills `target` with the bytes stored from `offset` on. */
  read(offset: number, target: Uint8Array): Promise<void>;
}

export abstract class DerivedArray implements StoredArray {
  readonly kind = "array";
  readonly path: string;
  readonly id: string;
  readonly attributes: StoredArray["attributes"];
  readonly type: StoredType;
  readonly shape: readonly number[];
  readonly chunks: StoredArray["chunks"] = null;

  /** @param from the array from which the derived array takes its name. */
  constructor(
    { path, id, attributes }: Pick<StoredArray, "path" | "id" | "attributes">,
    type: StoredType,
    shape: readonly number[],
  ) {
    this.path = path;
    this.id = id;
    this.attributes = attributes;
    this.type = type;
    this.shape = shape;
  }

  abstract read(start: number, end: number, options?: ReadOptions): Promise<StoredValues>;
}

/** Copied numbers that are stored in the same form in which `read` returns them. */
export abstract class CopiedBytes extends DerivedArray {
  async read(start: number, end: number, options: ReadOptions = {}): Promise<StoredValues> {
    const values = allocate(this.type, (end - start) * countElements(this.shape.slice(1)));
    await this.readInto(start, end, viewAsBytes(values), options);
    return { kind: "fixed", values };
  }

  abstract readInto(start: number, end: number, target: Uint8Array, options?: ReadOptions): Promise<void>;
}

/** An array that joins several others end to end, and has the name of the first. */
export abstract class JoinedValues extends DerivedArray {
  constructor(arrays: readonly StoredArray[], type: StoredType, shape: readonly number[]) {
    const [{ path, id }] = arrays;
    super({ path, id: `${id}+${arrays.length - 1}`, attributes: new Map() }, type, shape);
  }
}

/** Waits for all reads to end, so that no read writes to the memory after another one has failed. */
export async function waitForAllReads(reads: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(reads)) if (result.status === "rejected") throw result.reason;
}
