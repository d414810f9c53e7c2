import { InvalidInputError } from "annarrow";
import { swapBytes } from "annarrow/core/kernels";
import {
  ASCII_LEVEL,
  BYTES_LEVEL,
  HAS_ATTRIBUTES,
  HAS_TAG,
  IS_OBJECT,
  LATIN1_LEVEL,
  LEVELS_SHIFT,
  MAX_WRITTEN_DEPTH,
  NULL_SLOT,
  S4_LEVEL,
  SEXP,
  UTF8_LEVEL,
} from "../model/sexp-type.js";
import { BYTES, countTextStrings, encodeStrings, LATIN1, MISSING, type RText, UTF8 } from "../model/text.js";
import {
  NO_ATTRIBUTES,
  type RAttributes,
  type RCharacter,
  type REnvironment,
  type RNamedValue,
  type RPairlist,
  type RS4,
  type RValue,
} from "../model/value.js";
import type { SpooledElements } from "./spooled.js";

/** Number of bytes of a large vector that are swapped at a time. */
const PART_BYTES = 2 ** 20;

/** Bytes, or a reference to elements that are not in memory. */
export type WrittenBlock = Uint8Array<ArrayBuffer> | SpooledElements;

type Blocks = Generator<WrittenBlock, void, undefined>;

/** Vectors whose elements are not in memory. Their `RValue` contains no elements. */
export type SpooledVectors = ReadonlyMap<RValue, SpooledElements>;

/** Maximum reference number that is stored in the flags. Larger numbers are stored in a separate word. */
const MAX_PACKED_REFERENCE = (2 ** 31 - 1) >> 8;

/** Writes items in XDR, following WriteItem in R's serialize.c. */
export class ItemWriter {
  readonly #out = new BlockWriter();
  readonly #symbols = new Map<string, number>();
  readonly #objects = new Map<RValue, number>();
  readonly #spooled: SpooledVectors;

  constructor(spooled: SpooledVectors = new Map()) {
    this.#spooled = spooled;
  }

  /** Writes a word that precedes the first item. */
  int(value: number): void {
    this.#out.int(value);
  }

  bytes(bytes: Uint8Array<ArrayBuffer>): void {
    this.#out.bytes(bytes);
  }

  /** Yields the remaining bytes, after the last item. */
  finish(): Blocks {
    return this.#out.rest();
  }

  /** @throws {InvalidInputError} for values nested too deeply, and strings that R cannot represent. */
  *item(value: RValue, depth = 0): Blocks {
    if (depth > MAX_WRITTEN_DEPTH) throw new InvalidInputError(`values nested deeper than ${MAX_WRITTEN_DEPTH}`);
    if (this.#out.hasFull) yield* this.#out.full();
    const elements = this.#spooled.get(value);
    if (elements !== undefined && "attributes" in value) {
      this.#head(vectorType(value.kind), value, elements.length);
      yield* this.#out.rest();
      yield elements;
      return yield* this.#attributes(value.attributes, depth);
    }
    switch (value.kind) {
      case "null":
        this.#out.int(SEXP.null);
        return;
      case "named":
        this.#out.int(NAMED_TYPES[value.name]);
        return;
      case "symbol":
        return yield* this.#symbol(value.name);
      case "logical":
      case "integer":
        this.#head(SEXP[value.kind], value, value.values.length);
        yield* this.#words(value.values, 4);
        return yield* this.#attributes(value.attributes, depth);
      case "real":
        this.#head(SEXP.real, value, value.values.length);
        yield* this.#words(value.values, 8);
        return yield* this.#attributes(value.attributes, depth);
      case "complex":
        if (value.values.length % 2 !== 0) throw new InvalidInputError("a complex number without imaginary part");
        this.#head(SEXP.complex, value, value.values.length / 2);
        yield* this.#words(value.values, 8);
        return yield* this.#attributes(value.attributes, depth);
      case "raw":
        this.#head(SEXP.raw, value, value.values.length);
        yield* this.#words(value.values, 1);
        return yield* this.#attributes(value.attributes, depth);
      case "character":
        this.#head(SEXP.character, value, countTextStrings(value.text));
        yield* this.#text(value.text);
        return yield* this.#attributes(value.attributes, depth);
      case "list":
        this.#head(SEXP.list, value, value.values.length);
        for (const element of value.values) yield* this.item(element, depth + 1);
        return yield* this.#attributes(value.attributes, depth);
      case "pairlist":
      case "language":
        return yield* this.#pairlist(value, depth);
      case "s4":
        return yield* this.#s4(value, depth);
      case "environment":
        return yield* this.#environment(value, depth);
      case "namespace":
      case "package": {
        if (this.#refer(value)) return;
        this.#out.int(SEXP[value.kind]);
        this.#out.int(0);
        this.#out.int(value.info.length);
        return yield* this.#text(encodeStrings(value.info));
      }
      case "external pointer": {
        if (this.#refer(value)) return;
        this.#out.int(SEXP.externalPointer | attributeFlags(value.attributes, false));
        yield* this.item(value.protectedValue, depth + 1);
        yield* this.item(value.tag, depth + 1);
        return yield* this.#attributes(value.attributes, depth);
      }
      case "spilled":
        throw new InvalidInputError("a vector outside of memory is not written");
      case "opaque":
        throw new InvalidInputError(`${value.what} cannot be written: only R can`);
      case "unreadable":
        throw new InvalidInputError(`a value that was not read cannot be written: ${value.problem}`);
      default:
        return value satisfies never;
    }
  }

  #head(type: number, value: { readonly attributes: RAttributes; readonly isS4?: true }, length: number): void {
    this.#out.int(type | attributeFlags(value.attributes, value.isS4 === true));
    if (length >= 2 ** 31) {
      this.#out.int(-1);
      this.#out.int(Math.floor(length / 2 ** 32));
    }
    this.#out.int(length | 0);
  }

  /** Writes elements in big-endian order. */
  *#words(values: Int32Array | Float64Array | Uint8Array, size: number): Blocks {
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    for (let at = 0; at < bytes.length; at += PART_BYTES) {
      const part = bytes.slice(at, at + PART_BYTES);
      swapBytes(part, size);
      this.#out.bytes(part);
      yield* this.#out.full();
    }
  }

  *#text(text: RText): Blocks {
    const { offsets, bytes, encodings } = text;
    if (bytes.subarray(offsets[0], offsets[encodings.length]).includes(0)) {
      throw new InvalidInputError("a string with a NUL, which R cannot hold");
    }
    for (let i = 0; i < encodings.length; i++) {
      if (this.#out.hasFull) yield* this.#out.full();
      const value = bytes.subarray(offsets[i], offsets[i + 1]);
      const isMissing = encodings[i] === MISSING;
      this.#out.int(SEXP.chars | (isMissing ? 0 : getStringLevels(value, encodings[i]) << LEVELS_SHIFT));
      this.#out.int(isMissing ? -1 : value.length);
      if (!isMissing) this.#out.bytes(value.slice());
    }
  }

  *#attributes(attributes: RAttributes, depth: number): Blocks {
    if (attributes.size === 0) return;
    for (const [name, value] of attributes) {
      this.#out.int(SEXP.pairlist | HAS_TAG);
      yield* this.#symbol(name);
      if (value.kind === "null") yield* this.#symbol(NULL_SLOT);
      else yield* this.item(value, depth + 1);
    }
    this.#out.int(SEXP.null);
  }

  *#symbol(name: string): Blocks {
    if (this.#out.hasFull) yield* this.#out.full();
    const known = this.#symbols.get(name);
    if (known !== undefined) {
      this.#reference(known);
      return;
    }
    if (name === "") throw new InvalidInputError("a symbol without a name");
    this.#symbols.set(name, this.#nextReference);
    this.#out.int(SEXP.symbol);
    yield* this.#text(encodeStrings([name]));
  }

  /** The number of the next reference. Symbols and objects share one numbering, which starts at 1. */
  get #nextReference(): number {
    return this.#symbols.size + this.#objects.size + 1;
  }

  /**
   * If the value was written before, writes a reference to it and returns true. Otherwise registers the value and
   * returns false.
   */
  #refer(value: RValue): boolean {
    const known = this.#objects.get(value);
    if (known === undefined) this.#objects.set(value, this.#nextReference);
    else this.#reference(known);
    return known !== undefined;
  }

  #reference(index: number): void {
    if (index <= MAX_PACKED_REFERENCE) this.#out.int((index << 8) | SEXP.reference);
    else {
      this.#out.int(SEXP.reference);
      this.#out.int(index);
    }
  }

  *#pairlist(value: RPairlist, depth: number): Blocks {
    if (value.items.length === 0) throw new InvalidInputError("a pairlist without cells: R has NULL instead");
    let type: number = SEXP[value.kind];
    let attributes = value.attributes;
    for (const { tag, value: element } of value.items) {
      if (this.#out.hasFull) yield* this.#out.full();
      this.#out.int(type | attributeFlags(attributes, false) | (tag === null ? 0 : HAS_TAG));
      yield* this.#attributes(attributes, depth);
      if (tag !== null) yield* this.#symbol(tag);
      yield* this.item(element, depth + 1);
      type = SEXP.pairlist;
      attributes = NO_ATTRIBUTES;
    }
    if (value.tail === undefined) this.#out.int(SEXP.null);
    else yield* this.item(value.tail, depth + 1);
  }

  *#s4(value: RS4, depth: number): Blocks {
    this.#out.int(SEXP.s4 | IS_OBJECT | HAS_ATTRIBUTES | (S4_LEVEL << LEVELS_SHIFT));
    if (value.slots.has("class")) throw new InvalidInputError("a slot cannot be called class");
    const from: RAttributes =
      value.package === null ? NO_ATTRIBUTES : new Map([["package", characterOf([value.package])]]);
    const type: RCharacter = { ...characterOf([value.className]), attributes: from };
    yield* this.#attributes(new Map([...value.slots, ["class", type]]), depth);
  }

  /** Writes all bindings into the frame; R creates the hash table itself. */
  *#environment(value: REnvironment, depth: number): Blocks {
    if (this.#refer(value)) return;
    this.#out.int(SEXP.environment);
    this.#out.int(value.locked ? 1 : 0);
    yield* this.item(value.enclosure, depth + 1);
    for (const [name, bound] of value.bindings) {
      this.#out.int(SEXP.pairlist | HAS_TAG);
      yield* this.#symbol(name);
      yield* this.item(bound, depth + 1);
    }
    // The first NULL ends the frame. The second means that there is no hash table.
    this.#out.int(SEXP.null);
    this.#out.int(SEXP.null);
    if (value.attributes.size === 0) this.#out.int(SEXP.null);
    else yield* this.#attributes(value.attributes, depth);
  }
}

function vectorType(kind: RValue["kind"]): number {
  switch (kind) {
    case "logical":
    case "integer":
    case "real":
    case "complex":
    case "character":
      return SEXP[kind];
    default:
      throw new TypeError(`no elements of ${kind} are spooled`);
  }
}

function attributeFlags(attributes: RAttributes, isS4: boolean): number {
  return (
    (attributes.size > 0 ? HAS_ATTRIBUTES : 0) |
    (attributes.has("class") ? IS_OBJECT : 0) |
    (isS4 ? S4_LEVEL << LEVELS_SHIFT : 0)
  );
}

function characterOf(strings: readonly string[]): RCharacter {
  return { kind: "character", text: encodeStrings(strings), attributes: NO_ATTRIBUTES };
}

const NAMED_TYPES: Readonly<Record<RNamedValue["name"], number>> = {
  "global environment": SEXP.globalEnvironment,
  "base environment": SEXP.baseEnvironment,
  "empty environment": SEXP.emptyEnvironment,
  "base namespace": SEXP.baseNamespace,
  "missing argument": SEXP.missingArgument,
  "unbound value": SEXP.unboundValue,
};

const BLOCK = 2 ** 16;

/** Collects words and strings into blocks of 64 KiB. */
class BlockWriter {
  #block = new Uint8Array(BLOCK);
  #view = new DataView(this.#block.buffer);
  #length = 0;
  #full: Uint8Array<ArrayBuffer>[] = [];

  int(value: number): void {
    if (this.#length + 4 > BLOCK) this.#close();
    this.#view.setInt32(this.#length, value);
    this.#length += 4;
  }

  /** Writes bytes. If they exceed a block, they are not copied, and must not change. */
  bytes(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#length + bytes.length > BLOCK) this.#close();
    if (bytes.length > BLOCK) this.#full.push(bytes);
    else {
      this.#block.set(bytes, this.#length);
      this.#length += bytes.length;
    }
  }

  #close(): void {
    this.#full.push(this.#block.subarray(0, this.#length));
    this.#block = new Uint8Array(BLOCK);
    this.#view = new DataView(this.#block.buffer);
    this.#length = 0;
  }

  /** Yields and removes the full blocks. It should be called often, because blocks stay in memory until then. */
  *full(): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
    if (this.#full.length === 0) return;
    const blocks = this.#full;
    this.#full = [];
    yield* blocks;
  }

  get hasFull(): boolean {
    return this.#full.length > 0;
  }

  *rest(): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
    this.#close();
    yield* this.full();
  }
}

/** Returns R's flags for one string. ASCII has a separate flag, whatever the encoding. */
function getStringLevels(bytes: Uint8Array, encoding: number): number {
  let bits = 0;
  for (let i = 0; i < bytes.length; i++) bits |= bytes[i];
  if (bits < 0x80) return ASCII_LEVEL;
  if (encoding === UTF8) return UTF8_LEVEL;
  if (encoding === LATIN1) return LATIN1_LEVEL;
  return encoding === BYTES ? BYTES_LEVEL : 0;
}
