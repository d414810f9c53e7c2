/** Writes R objects, the counterpart of `rds/container.ts`. */

import { InvalidInputError, UnsupportedError } from "annarrow";
import type {
  ArrayDescription,
  ArrayWriter,
  ContainerWriter,
  GroupWriter,
  WrittenAttribute,
  WrittenAttributes,
} from "annarrow/core/containers";
import type { ByteTarget } from "annarrow/core/io";
import { locateError, runWithLocation } from "annarrow/core/model";
import { countTextStrings, decodeStringAt, encodeStrings } from "../model/text.js";
import { NO_ATTRIBUTES, R_NULL, type RCharacter, type RValue } from "../model/value.js";
import { VectorWriter } from "./vector-writer.js";
import { type WriteRdsOptions, writeRds } from "./write.js";

export interface CreateRdsOptions extends Pick<WriteRdsOptions, "compression"> {
  readonly signal?: AbortSignal;
}

/**
 * Begins an R object, which stays in memory until `close` writes it. The attributes of a group determine what it
 * becomes:
 *
 * - `class` (and `package`): an S4 object whose slots are the children, in the order of the attribute `slots`.
 * - `length`: a list whose elements are the children called `1`, `2`, …; missing elements are NULL. The attribute
 *   `names` contains the names of the elements.
 * - without these attributes: a list with the names of the children.
 *
 * Arrays become vectors: 32-bit values become integers with the same bits, and 64-bit integers become reals.
 * @param target the target. The caller commits or aborts it.
 */
export function createRds(target: ByteTarget, options: CreateRdsOptions = {}): ContainerWriter {
  const { signal, compression = "gzip" } = options;
  const root = new ObjectWriter({ name: target.name, isClosed: false }, "");
  return {
    kind: "rds",
    name: target.name,
    root,
    async close() {
      try {
        let at = 0;
        for await (const bytes of writeRds(root.finish(), { compression })) {
          signal?.throwIfAborted();
          await target.write(at, bytes);
          at += bytes.length;
        }
      } catch (error) {
        throw error instanceof TypeError ? error : locateError(error, { source: target.name });
      }
    },
  };
}

/** State that is shared by all groups of a file. */
export interface ObjectState {
  readonly name: string;
  isClosed: boolean;
}

/** A group that becomes an S4 object or a list. */
class ObjectWriter implements GroupWriter {
  readonly path: string;
  readonly #state: ObjectState;
  readonly #children = new Map<string, ObjectWriter | VectorWriter>();
  #class: string | null = null;
  #package: string | null = null;
  #slots: readonly string[] | null = null;
  #length: number | null = null;
  #names: readonly string[] | null = null;

  constructor(state: ObjectState, path: string, attributes?: WrittenAttributes) {
    this.path = path;
    this.#state = state;
    for (const [name, attribute] of attributes ?? []) this.attribute(name, attribute);
  }

  /** @throws {UnsupportedError} for attributes that do not determine what the group becomes. */
  attribute(name: string, attribute: WrittenAttribute): void {
    this.#checkOpen();
    switch (name) {
      case "class":
        this.#class = this.#text(name, attribute);
        return;
      case "package":
        this.#package = this.#text(name, attribute);
        return;
      case "slots":
        this.#slots = this.#texts(name, attribute);
        return;
      case "length":
        this.#length = this.#count(name, attribute);
        return;
      case "names":
        this.#names = this.#texts(name, attribute);
        return;
      default:
        throw new UnsupportedError(`an R object is not written with an attribute ${name}`, this.#location);
    }
  }

  group(name: string, attributes?: WrittenAttributes): Promise<GroupWriter> {
    return this.#add(name, (path) => new ObjectWriter(this.#state, path, attributes));
  }

  array(name: string, description: ArrayDescription): Promise<ArrayWriter> {
    return this.#add(name, (path) => new VectorWriter(path, description));
  }

  #add<T extends ObjectWriter | VectorWriter>(name: string, make: (path: string) => T): Promise<T> {
    this.#checkOpen();
    const path = this.path === "" ? name : `${this.path}/${name}`;
    return runWithLocation({ source: this.#state.name, element: path }, () => {
      if (name === "") throw new InvalidInputError("a slot or element without a name");
      if (this.#children.has(name)) throw new InvalidInputError("there is a slot or element of that name already");
      const child = make(path);
      this.#children.set(name, child);
      return child;
    });
  }

  /**
   * Ends the object and returns its value. Nothing can be added afterwards.
   * @throws {TypeError} if an array is still open, or if slots are missing.
   */
  finish(): RValue {
    this.#checkOpen();
    const value = this.value();
    this.#state.isClosed = true;
    return value;
  }

  value(): RValue {
    const values = new Map([...this.#children].map(([name, child]) => [name, child.value()]));
    if (this.#class !== null) {
      return { kind: "s4", className: this.#class, package: this.#package, slots: this.#ordered(values) };
    }
    if (this.#length !== null) return this.#listed(values, this.#length);
    const attributes = new Map([["names", characterOf([...values.keys()])]]);
    return { kind: "list", values: [...values.values()], attributes };
  }

  #ordered(values: ReadonlyMap<string, RValue>): ReadonlyMap<string, RValue> {
    if (this.#slots === null) return values;
    const extra = [...values.keys()].find((name) => this.#slots?.includes(name) === false);
    if (extra !== undefined) throw new TypeError(`${this.#named}${this.#class} has no slot ${extra}`);
    const slot = (name: string): [string, RValue] => {
      const value = values.get(name);
      if (value === undefined) throw new TypeError(`${this.#named}the slot ${name} of ${this.#class} is not written`);
      return [name, value];
    };
    return new Map(this.#slots.map(slot));
  }

  #listed(values: ReadonlyMap<string, RValue>, length: number): RValue {
    const positions = Array.from({ length }, (_, i) => String(i + 1));
    const extra = [...values.keys()].find((name) => !positions.includes(name));
    if (extra !== undefined) throw new TypeError(`${this.#named}a list of ${length} has no element ${extra}`);
    const names = this.#names;
    if (names !== null && names.length !== length) {
      throw new TypeError(`${this.#named}${names.length} names for a list of ${length}`);
    }
    const attributes = names === null ? NO_ATTRIBUTES : new Map([["names", characterOf(names)]]);
    return { kind: "list", values: positions.map((name) => values.get(name) ?? R_NULL), attributes };
  }

  #text(name: string, attribute: WrittenAttribute): string {
    const [text] = this.#texts(name, attribute);
    if (attribute.shape?.length === 0 && text !== undefined) return text;
    throw new InvalidInputError(`the attribute ${name} is not one text`, this.#location);
  }

  #texts(name: string, { values }: WrittenAttribute): string[] {
    if (values?.kind !== "variable") throw new InvalidInputError(`the attribute ${name} is no text`, this.#location);
    const { offsets, bytes } = values;
    const text = { offsets, bytes, encodings: new Uint8Array(offsets.length - 1) };
    return Array.from({ length: countTextStrings(text) }, (_, i) => decodeStringAt(text, i) ?? "");
  }

  #count(name: string, { values, shape }: WrittenAttribute): number {
    const count = values?.kind === "fixed" && shape?.length === 0 ? Number(values.values[0]) : -1;
    if (Number.isInteger(count) && count >= 0) return count;
    throw new InvalidInputError(`the attribute ${name} is not one count`, this.#location);
  }

  get #location() {
    return { source: this.#state.name, element: this.path };
  }

  get #named(): string {
    return [this.#state.name, this.path]
      .filter((part) => part !== "")
      .map((part) => `${part}: `)
      .join("");
  }

  #checkOpen(): void {
    if (this.#state.isClosed) throw new TypeError(`${this.#state.name} is closed`);
  }
}

function characterOf(strings: readonly string[]): RCharacter {
  return { kind: "character", text: encodeStrings(strings), attributes: NO_ATTRIBUTES };
}
