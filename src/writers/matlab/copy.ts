/** Values that are written back as they are stored: datasets and groups of the file that they were read from. */

import type { Group, Node, StoredArray } from "../../containers/tree/container.js";
import type { KeptObjects } from "../../containers/tree/kept-objects.js";
import { InvalidDataError, isAnnarrowError, located, UnsupportedError } from "../../model/errors.js";
import { decodedSize, type FixedValues, product } from "../../model/stored.js";
import type { MatlabWriterContext } from "./context.js";
import { copiedAttributes } from "./copied-attributes.js";
import { fieldPlace, openArray, openGroup, type ValuePlace } from "./place.js";

/** Deeper than any real object. */
const MOST_DEPTH = 1000;

/** More values than any real file has in its objects. */
const MOST_NODES = 2 ** 24;

/** Hard links can lead to a group by several ways, and thirty groups make 2^30 ways to the last. */
const MOST_REPEATED = 10_000;

/** Bytes that are held of an array at once. */
const BAND_BYTES = 2 ** 24;

/** No object is there, or at this address. */
const NOWHERE = 2n ** 64n - 1n;

export class Copy {
  readonly #objects: KeptObjects;
  readonly #cx: MatlabWriterContext;
  /** By the ids of the nodes, what refers to them in the new file. */
  readonly #references = new Map<string, bigint>();
  readonly #groups = new Set<string>();
  #repeated = 0;
  #count = 0;

  constructor(objects: KeptObjects, cx: MatlabWriterContext) {
    this.#objects = objects;
    this.#cx = cx;
  }

  /**
   * Writes what is stored at `node`, and what it refers to unless that is written already.
   * @throws {InvalidDataError} where it cannot be read, or a group holds itself.
   * @throws {UnsupportedError} for values that are not written.
   */
  async write(place: ValuePlace, node: Node, depth = 0): Promise<void> {
    const { signal } = this.#cx;
    signal?.throwIfAborted();
    if (depth > MOST_DEPTH) throw new UnsupportedError(`objects nested more than ${MOST_DEPTH} deep`);
    if (++this.#count > MOST_NODES) throw new UnsupportedError(`objects of more than ${MOST_NODES} values`);
    if (node.kind === "group") await this.#group(place, node, depth);
    else await this.#array(place, node, depth);
  }

  async #group(place: ValuePlace, group: Group, depth: number): Promise<void> {
    if (this.#groups.has(group.id) && ++this.#repeated > MOST_REPEATED) {
      throw new InvalidDataError(`links lead to the same groups more than ${MOST_REPEATED} times`);
    }
    this.#groups.add(group.id);
    const out = await openGroup(place, await copiedAttributes(place, group, this.#objects, this.#cx));
    this.#note(group, place);
    for (const name of await group.keys(this.#options)) {
      await this.write(fieldPlace(out, name, place.element), await group.open(name, this.#options), depth + 1);
    }
  }

  async #array(place: ValuePlace, node: StoredArray, depth: number): Promise<void> {
    const attributes = await copiedAttributes(place, node, this.#objects, this.#cx);
    const row = rowOf(node);
    const { type, shape } = row ?? node;
    const size = decodedSize(type);
    const [rows, ...rest] = shape ?? [];
    const sized = rows === undefined ? ([] as const) : ([rows, ...rest] as const);
    const out = await openArray(place, {
      ...{ type, attributes, shape: shape === null ? null : sized },
      ...(row === null ? {} : { leadingOne: true }),
      ...(type.kind === "reference" ? { compressed: false } : {}),
    });
    this.#note(node, place);
    const band = Math.max(1, Math.floor(BAND_BYTES / Math.max(1, (size ?? 64) * product(rest))));
    const count = shape === null ? 0 : (rows ?? 1);
    for (let start = 0; start < count; start += band) {
      this.#cx.signal?.throwIfAborted();
      const end = Math.min(count, start + band);
      const values = await (row ?? node).read(start, end, this.#options);
      const isReference = type.kind === "reference" && values.kind === "fixed";
      const own = isReference ? await this.#moved(values, place, depth) : values;
      await located({ element: place.element }, () => out.write(own, end - start));
    }
    await located({ element: place.element }, () => out.close());
  }

  /** Values may refer to what is still being written. */
  #note({ id }: Node, place: ValuePlace): void {
    if (!this.#references.has(id)) this.#references.set(id, this.#cx.references.to(place));
  }

  /** The references to the same values in the new file. */
  async #moved({ values }: FixedValues, place: ValuePlace, depth: number): Promise<FixedValues> {
    const moved = new BigUint64Array(values.length);
    for (let i = 0; i < moved.length; i++) {
      const address = BigInt(values[i]);
      moved[i] = address === 0n || address === NOWHERE ? address : await this.#reference(address, place, depth);
    }
    return { kind: "fixed", values: moved };
  }

  async #reference(address: bigint, { element }: ValuePlace, depth: number): Promise<bigint> {
    const bytes = new Uint8Array(new BigUint64Array([address]).buffer);
    const node = await this.#objects.container.dereference({ kind: "reference", bytes });
    const known = this.#references.get(node.id);
    if (known !== undefined) return known;
    const place = await this.#cx.references.place(element);
    await this.write(place, node, depth + 1);
    return this.#cx.references.to(place);
  }

  get #options() {
    const { signal } = this.#cx;
    return signal === undefined ? {} : { signal };
  }
}

/** A row of many values can be read in parts; null for other arrays, and small ones. */
function rowOf(node: StoredArray): StoredArray | null {
  const { shape, type } = node;
  const size = decodedSize(type);
  if (shape?.length !== 2 || shape[0] !== 1 || size === null || shape[1] * size <= BAND_BYTES) return null;
  try {
    return node.capabilities?.view?.({ form: "flat", bool: false }) ?? null;
  } catch (error) {
    if (isAnnarrowError(error, "UnsupportedError")) return null;
    throw error;
  }
}
