/** Fragments that an R object stands for, as the group of arrays that a store of them would be. */

import type { AttributeValue, Group, Node, StoredArray } from "../../../containers/tree/container.js";
import { chunkCount } from "../../../kernels/bp128/page.js";
import { InvalidDataError, NotFoundError } from "../../../model/errors.js";
import type { NumberArray, StoredType } from "../../../model/stored.js";
import type { ReadOptions } from "../../../sources/source.js";
import { lengthOf, UINT32, UINT64 } from "../stores/typed-array.js";

/** A store under other names. */
export class Renamed implements Group {
  readonly kind = "group";
  readonly path: string;
  readonly id: string;
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  readonly #store: Group;
  readonly #names: ReadonlyMap<string, StoredArray>;

  constructor(object: Group, store: Group, names: ReadonlyMap<string, StoredArray>) {
    this.path = object.path;
    this.id = object.id;
    this.attributes = store.attributes;
    this.#store = store;
    this.#names = names;
  }

  keys(options?: ReadOptions): Promise<readonly string[]> {
    return this.#store.keys(options);
  }

  async open(name: string, options?: ReadOptions): Promise<Node> {
    return this.#names.get(name) ?? (await this.#store.open(name, options));
  }
}

export interface FragmentParts {
  readonly cell: StoredArray;
  readonly start: StoredArray;
  readonly end: StoredArray;
  /** Whether `end` holds what must be added to the start, modulo 2^32. */
  readonly endIsLength: boolean;
  /** Two for each chromosome. */
  readonly pointers: readonly number[];
  readonly chrNames: StoredArray;
  readonly cellNames: StoredArray;
}

/** Arrays that are not packed. */
export class FragmentArrays implements Group {
  readonly kind = "group";
  readonly path: string;
  readonly id: string;
  readonly attributes: ReadonlyMap<string, AttributeValue> = new Map([["version", "unpacked-fragments-v2"]]);
  readonly #arrays: ReadonlyMap<string, StoredArray>;

  constructor(object: Group, parts: FragmentParts) {
    this.path = object.path;
    this.id = object.id;
    const { cell, start, end, endIsLength, pointers, chrNames, cellNames } = parts;
    // What is too high a bound for a chunk's ends only makes a search longer.
    const most = new Uint32Array(chunkCount(lengthOf(cell))).fill(2 ** 32 - 1);
    this.#arrays = new Map([
      ["cell", cell],
      ["start", start],
      ["end", endIsLength ? sums(start, end) : end],
      ["end_max", inMemory("end_max", UINT32, most)],
      [
        "chr_ptr",
        inMemory(
          "chr_ptr",
          UINT64,
          BigUint64Array.from(pointers, (pointer) => BigInt(pointer)),
        ),
      ],
      ["chr_names", chrNames],
      ["cell_names", cellNames],
    ]);
  }

  async keys(): Promise<readonly string[]> {
    return [...this.#arrays.keys()].sort();
  }

  async open(name: string): Promise<Node> {
    const array = this.#arrays.get(name);
    if (array === undefined) throw new NotFoundError("no such array", { element: `${this.path}/${name}` });
    return array;
  }
}

function inMemory(path: string, type: StoredType, values: NumberArray): StoredArray {
  return {
    ...{ kind: "array", path, id: path, attributes: new Map(), chunks: null, type },
    shape: [values.length],
    read: async (start, end) => ({ kind: "fixed", values: values.slice(start, end) }),
  };
}

function sums(start: StoredArray, length: StoredArray): StoredArray {
  const { path, id, attributes, type, shape } = length;
  return {
    ...{ kind: "array", path, id, attributes, chunks: null, type, shape },
    async read(from, to, options) {
      const [starts, lengths] = await Promise.all([start.read(from, to, options), length.read(from, to, options)]);
      if (starts.kind !== "fixed" || lengths.kind !== "fixed") throw new InvalidDataError("no numbers");
      const [a, b] = [starts.values, lengths.values];
      const values = Uint32Array.from({ length: to - from }, (_, i) => Number(a[i]) + Number(b[i]));
      return { kind: "fixed", values };
    },
  };
}
