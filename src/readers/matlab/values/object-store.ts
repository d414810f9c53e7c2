/** `#subsystem#/MCOS`: the properties of all objects of a file. */

import type { StoredArray } from "../../../containers/tree/container.js";
import { InvalidDataError, located } from "../../../model/errors.js";
import { bytesOf } from "../../../model/stored.js";
import type { MatlabContext, PropertyStore, ValueScope } from "./context.js";
import { type PropertyEntry, parseStoreMetadata, type StoreMetadata } from "./mcos-metadata.js";
import { fixedValues, textArray } from "./memory-array.js";
import { valueOrFailure } from "./read-value.js";
import type { CharValue, Value } from "./value.js";

/** What the value of a property entry is. */
const NAME = 0;
const CELL = 1;
const INLINE = 2;

/** The cells before the first value. */
const FIRST_VALUE = 2;

const MAX_CELLS = 2 ** 22;
const MAX_METADATA = 2 ** 27;

/** Objects among the defaults have none themselves. */
const DEFAULTS = "defaults";

export class ObjectStore implements PropertyStore {
  readonly metadata: StoreMetadata;
  readonly #cells: readonly bigint[];
  readonly #known = new Map<number, ReadonlyMap<string, Value>>();
  #defaults: Promise<readonly ReadonlyMap<string, Value>[]> | null = null;

  private constructor(metadata: StoreMetadata, cells: readonly bigint[]) {
    this.metadata = metadata;
    this.#cells = cells;
  }

  /**
   * @param dataset the references to the store's cells.
   * @throws {InvalidDataError} where it is no store; {UnsupportedError} for another version of it.
   */
  static async open(dataset: StoredArray, cx: MatlabContext): Promise<ObjectStore> {
    const { values } = await fixedValues(dataset, MAX_CELLS);
    if (dataset.type.kind !== "reference" || values.length < FIRST_VALUE) {
      throw new InvalidDataError("the object store holds no references", { element: dataset.path });
    }
    const cells = Array.from(values, (value: number | bigint) => BigInt(value));
    const first = await dereferenced(cells[0], cx);
    if (first.kind !== "array") throw new InvalidDataError("the first cell of the object store is a group");
    const metadata = await located({ element: first.path }, async () =>
      parseStoreMetadata(bytesOf((await fixedValues(first, MAX_METADATA)).values)),
    );
    if (metadata.filled !== 0) {
      cx.warn(`${dataset.path}: a list of properties or objects is followed by ${metadata.filled}, where 0 should be`);
    }
    return new ObjectStore(metadata, cells);
  }

  className(id: number): string {
    const name = this.metadata.classes[id];
    if (id > 0 && name !== undefined) return name;
    throw new InvalidDataError(`class ${id} of an object; the store has ${this.metadata.classes.length - 1}`);
  }

  async properties(id: number, busy: readonly string[], cx: MatlabContext): Promise<ReadonlyMap<string, Value>> {
    const mark = `object ${id}`;
    if (id === 0 || busy.includes(mark)) return new Map();
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const isDefault = busy.includes(DEFAULTS);
    const entry = this.metadata.objects[id];
    if (entry === undefined) {
      throw new InvalidDataError(`object ${id}; the store has ${this.metadata.objects.length - 1}`);
    }
    cx.limits.enter(mark, { within: busy, inside: true });
    const own = entry.saved > 0 ? this.metadata.saved[entry.saved] : this.metadata.normal[entry.normal];
    if (own === undefined) throw new InvalidDataError(`object ${id} has properties that the store does not have`);
    if (!isDefault) this.#defaults ??= this.#readDefaults(cx);
    const defaults = isDefault ? [] : ((await this.#defaults) ?? []);
    const properties = new Map(defaults[entry.classId] ?? []);
    const within = { within: [...busy, mark], inside: true };
    for (const one of own) properties.set(one.name, await this.#property(one, within, cx));
    for (const [i, dynamic] of (this.metadata.dynamic[entry.dependency] ?? []).entries()) {
      properties.set(`__dynamic_property__${i + 1}`, await this.#object(dynamic, within, cx));
    }
    if (!isDefault) this.#known.set(id, properties);
    return properties;
  }

  async #object(id: number, place: ValueScope, cx: MatlabContext): Promise<Value> {
    const object = await this.properties(id, place.within, cx);
    const name = this.className(this.metadata.objects[id].classId);
    return { kind: "object", class: name, size: [1, 1], metadata: { objects: [id] }, objects: [object] };
  }

  async #property({ kind, value, name }: PropertyEntry, place: ValueScope, cx: MatlabContext): Promise<Value> {
    switch (kind) {
      case NAME:
        return nameValue(this.metadata, value);
      case CELL: {
        const address = this.#cells[FIRST_VALUE + value];
        if (address === undefined) {
          throw new InvalidDataError(
            `property ${name} in cell ${value}; the store has ${this.#cells.length - FIRST_VALUE}`,
          );
        }
        return await valueOrFailure(() => dereferenced(address, cx), place, cx);
      }
      case INLINE:
        return inlineValue(value);
      default:
        throw new InvalidDataError(`property ${name} is of kind ${kind}; 0 to 2 exist`);
    }
  }

  /** The last cell: a struct of defaults for each class. */
  async #readDefaults(cx: MatlabContext): Promise<readonly ReadonlyMap<string, Value>[]> {
    const last = this.#cells[this.#cells.length - 1];
    const value = await valueOrFailure(() => dereferenced(last, cx), { within: [DEFAULTS], inside: true }, cx);
    if (value.kind !== "cell") return [];
    return value.items.map((item) =>
      item.kind === "struct" && item.columns.every((column) => column.length === 1)
        ? new Map(item.fields.map((field, k) => [field, item.columns[k][0]]))
        : new Map(),
    );
  }
}

function dereferenced(address: bigint, cx: MatlabContext) {
  const bytes = new Uint8Array(new BigUint64Array([address]).buffer);
  return cx.turns.take(() => cx.container.dereference({ kind: "reference", bytes }));
}

function nameValue({ names }: StoreMetadata, index: number): CharValue {
  const text = names[index - 1];
  if (text === undefined) throw new InvalidDataError(`object store has ${names.length} names, not ${index}`);
  const column = { kind: "array", array: textArray("", [text]) } as const;
  return { kind: "char", class: "char", size: [1, text.length], metadata: {}, column, texts: [text] };
}

function inlineValue(value: number): Value {
  const array: StoredArray = {
    ...{ kind: "array", path: "", id: "", attributes: new Map(), shape: [1, 1], chunks: null },
    type: { kind: "int", bits: 32, signed: false },
    read: async () => ({ kind: "fixed", values: Uint32Array.of(value) }),
  };
  const isBoolean = value <= 1;
  const dataset: StoredArray = isBoolean
    ? { ...array, type: { kind: "bool" }, read: async () => ({ kind: "fixed", values: Uint8Array.of(value) }) }
    : array;
  const metadata = { inline: true };
  return isBoolean
    ? { kind: "numeric", class: "logical", size: [1, 1], metadata, type: { kind: "bool" }, dataset }
    : { kind: "numeric", class: "uint32", size: [1, 1], metadata, type: array.type, dataset };
}
