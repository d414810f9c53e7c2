/** Arrays that are made of another one: they keep its name, and have no chunks of their own. */

import { allocate, bytesOf, product, type StoredType, type StoredValues } from "../../model/stored.js";
import type { ReadOptions } from "../../sources/source.js";
import type { StoredArray } from "../tree/container.js";

/** Storage that copied rows are read from. */
export interface RowStorage {
  /** Fills `target` from `offset` on. */
  read(offset: number, target: Uint8Array): Promise<void>;
}

export abstract class DerivedArray implements StoredArray {
  readonly kind = "array";
  readonly path: string;
  readonly id: string;
  readonly attributes: StoredArray["attributes"];
  readonly type: StoredType;
  readonly shape: readonly number[];
  readonly chunks = null;

  /** @param from the array whose name the derived one has. */
  constructor({ path, id, attributes }: StoredArray, type: StoredType, shape: readonly number[]) {
    this.path = path;
    this.id = id;
    this.attributes = attributes;
    this.type = type;
    this.shape = shape;
  }

  abstract read(start: number, end: number, options?: ReadOptions): Promise<StoredValues>;
}

/** Copied numbers whose bytes lie in the storage as they are read. */
export abstract class CopiedBytes extends DerivedArray {
  async read(start: number, end: number, options: ReadOptions = {}): Promise<StoredValues> {
    const values = allocate(this.type, (end - start) * product(this.shape.slice(1)));
    await this.readInto(start, end, bytesOf(values), options);
    return { kind: "fixed", values };
  }

  abstract readInto(start: number, end: number, target: Uint8Array, options?: ReadOptions): Promise<void>;
}

/** Waits for all reads, so that none still fills the memory after another has failed. */
export async function allSettled(reads: readonly Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(reads)) if (result.status === "rejected") throw result.reason;
}
