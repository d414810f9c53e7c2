import { InvalidDataError, UnsupportedError } from "annarrow";
import type { ByteSpill } from "annarrow/core/containers";
import type { ItemInput, Reading } from "../input/item-input.js";
import {
  HAS_ATTRIBUTES,
  HAS_TAG,
  LEVELS_SHIFT,
  MAX_DEPTH,
  OPAQUE_SEXP,
  S4_LEVEL,
  SEXP,
  UNSUPPORTED_SEXP,
} from "../model/sexp-type.js";
import { decodeString } from "../model/text.js";
import {
  createValueOrUnreadable,
  NO_ATTRIBUTES,
  R_NULL,
  type REnvironment,
  type RExternalPointer,
  type RNamedValue,
  type RPairlist,
  type RPairlistItem,
  type RValue,
} from "../model/value.js";
import { type ExpansionBudget, expandAltrep } from "./altrep.js";
import { type NativeDecoder, readChars, readLength, readText, skipChars } from "./character-vector.js";
import { InnerItem, type ItemReading } from "./inner-item.js";
import { isSpilled, readSpilledVector } from "./long-vector.js";
import {
  createS4Value,
  getPairlistAttributes,
  getShallowAttributes,
  listBindings,
  withAttributes,
} from "./pairlists.js";

/**
 * A reader for items that follows ReadItem in R's serialize.c. The items form a tree, in which references share symbols
 * and environments.
 */
export class ItemReader {
  readonly #input: ItemInput;
  readonly #native: NativeDecoder;
  readonly #maxValues: number;
  readonly #budget: ExpansionBudget;
  readonly #spill: ByteSpill | null;
  readonly #references: RValue[] = [];
  #values = 0;

  constructor(input: ItemInput, native: NativeDecoder, limits: ReadLimits) {
    this.#input = input;
    this.#native = native;
    this.#maxValues = limits.maxValues;
    this.#budget = { left: limits.maxExpandedBytes, limit: limits.maxExpandedBytes };
    this.#spill = limits.spill;
  }

  /**
   * Reads a value with all values that it contains. Values that are nested too deeply for their consumers are skipped.
   * @throws {InvalidDataError} {UnsupportedError}
   */
  *item(): Reading<RValue> {
    const open = [{ depth: 0, reading: this.#read(new InnerItem(0)) }];
    let found: RValue = R_NULL;
    for (;;) {
      const { depth, reading } = open[open.length - 1];
      const { done, value } = reading.next(found);
      if (done) {
        found = depth === MAX_DEPTH + 1 && isNested(value) ? TOO_DEEP : value;
        open.pop();
        if (open.length === 0) return found;
      } else if (value instanceof InnerItem) {
        if (open.length === MAX_NESTED) throw new UnsupportedError(`values nested deeper than ${MAX_NESTED}`);
        open.push({ depth: value.depth, reading: this.#read(value) });
      } else yield value;
    }
  }

  *#int(): Reading<number> {
    if (!this.#input.has(4)) yield 4;
    return this.#input.int();
  }

  *#read({ flags: given, depth, slot }: InnerItem): ItemReading<RValue> {
    const flags = given ?? (yield* this.#int());
    if (++this.#values > this.#maxValues) throw new UnsupportedError(`more than ${this.#maxValues} R values`);
    const type = flags & 0xff;
    switch (type) {
      case SEXP.null:
        return R_NULL;
      case SEXP.globalEnvironment:
        return GLOBAL;
      case SEXP.baseEnvironment:
        return BASE;
      case SEXP.emptyEnvironment:
        return EMPTY;
      case SEXP.baseNamespace:
        return BASE_NAMESPACE;
      case SEXP.missingArgument:
        return MISSING_ARGUMENT;
      case SEXP.unboundValue:
        return UNBOUND;
      case SEXP.reference:
        return this.#reference(flags >>> 8 || (yield* this.#int()));
      case SEXP.symbol:
        return this.#remember({ kind: "symbol", name: yield* this.#symbolName() });
      case SEXP.namespace:
      case SEXP.package:
        return this.#remember({ kind: type === SEXP.package ? "package" : "namespace", info: yield* this.#names() });
      case SEXP.environment:
        return yield* this.#environment(depth);
      case SEXP.externalPointer:
        return yield* this.#externalPointer(flags, depth);
      case SEXP.pairlist:
      case SEXP.language:
        return yield* this.#pairlist(flags, depth);
      case SEXP.altrep: {
        const info = yield new InnerItem(depth + 1);
        const state = yield new InnerItem(depth + 1);
        const attributes = yield new InnerItem(depth + 1);
        return createValueOrUnreadable(() =>
          withAttributes(expandAltrep(info, state, this.#budget), getPairlistAttributes(attributes), isS4(flags)),
        );
      }
      case SEXP.s4: {
        const attributes = yield* this.#attributes(flags, depth);
        return createValueOrUnreadable(() => createS4Value(getPairlistAttributes(attributes)));
      }
      case SEXP.logical:
      case SEXP.integer:
      case SEXP.real:
      case SEXP.complex:
      case SEXP.raw:
      case SEXP.character:
      case SEXP.list: {
        const value = yield* this.#vector(type, depth, slot);
        const attributes = yield* this.#attributes(flags, depth);
        return createValueOrUnreadable(() => withAttributes(value, getPairlistAttributes(attributes), isS4(flags)));
      }
      case SEXP.chars:
        yield* skipChars(this.#input);
        return { kind: "opaque", what: "a string outside of a character vector" };
      case SEXP.persistent:
        return this.#remember({ kind: "opaque", what: `an object that R keeps elsewhere (${yield* this.#names()})` });
      default: {
        const what = OPAQUE_SEXP.get(type);
        if (what !== undefined) {
          const opaque: RValue = { kind: "opaque", what };
          yield* skipOpaque(flags, depth, {
            input: this.#input,
            int: () => this.#int(),
            item: (below) => new InnerItem(below),
            remember: () => this.#remember(opaque),
          });
          return opaque;
        }
        const name = UNSUPPORTED_SEXP.get(type);
        if (name !== undefined) throw new UnsupportedError(`SEXP type ${type}, ${name}`);
        throw new InvalidDataError(`SEXP type ${type} does not exist`);
      }
    }
  }

  *#vector(type: VectorType, depth: number, slot: string | null): ItemReading<RValue> {
    const input = this.#input;
    const length = yield* readLength(input);
    const attributes = NO_ATTRIBUTES;
    switch (type) {
      case SEXP.logical:
      case SEXP.integer: {
        input.expect(length, 4, "a vector of integers");
        const long = type === SEXP.integer ? this.#long("integer", slot, 4 * length) : null;
        if (long !== null) return yield* readSpilledVector(long.words, { of: "integer", length }, long.spill);
        return { kind: type === SEXP.logical ? "logical" : "integer", values: yield* input.ints(length), attributes };
      }
      case SEXP.real: {
        input.expect(length, 8, "a vector of reals");
        const long = this.#long("real", slot, 8 * length);
        if (long !== null) return yield* readSpilledVector(long.words, { of: "real", length }, long.spill);
        return { kind: "real", values: yield* input.reals(length), attributes };
      }
      case SEXP.complex:
        input.expect(2 * length, 8, "a vector of complex numbers' parts");
        return { kind: "complex", values: yield* input.reals(2 * length), attributes };
      case SEXP.raw:
        input.expect(length, 1, "a raw vector");
        return { kind: "raw", values: yield* input.raws(length), attributes };
      case SEXP.character:
        return yield* readText(input, length, this.#native);
      case SEXP.list: {
        input.expect(length, 4, "a list");
        const values: RValue[] = [];
        for (let i = 0; i < length; i++) values.push(yield new InnerItem(depth + 1));
        return { kind: "list", values, attributes };
      }
      default:
        return type satisfies never;
    }
  }

  /** Returns storage for a vector that is too long for memory; null for other vectors. */
  #long(of: "integer" | "real", slot: string | null, bytes: number) {
    const [input, spill] = [this.#input, this.#spill];
    if (spill === null || input.words === undefined || !isSpilled(of, slot, bytes)) return null;
    return { spill, words: input.words.bind(input) };
  }

  /** Reads the pairlist that contains the attributes; NULL if there are none. */
  *#attributes(flags: number, depth: number): ItemReading<RValue> {
    return flags & HAS_ATTRIBUTES ? yield new InnerItem(depth + 1) : R_NULL;
  }

  /** Reads the cells of a chain in a loop instead of recursively, because a chain may be long. */
  *#pairlist(first: number, depth: number): ItemReading<RPairlist> {
    const attributes = getShallowAttributes(yield* this.#attributes(first, depth));
    const items: RPairlistItem[] = [];
    const kind = (first & 0xff) === SEXP.language ? "language" : "pairlist";
    let flags = first;
    for (;;) {
      const tag = flags & HAS_TAG ? yield* this.#tag(depth) : null;
      items.push({ tag, value: yield new InnerItem(depth + 1, tag) });
      flags = yield* this.#int();
      // A cell with attributes begins a separate value.
      if ((flags & 0xff) !== SEXP.pairlist || flags & HAS_ATTRIBUTES) break;
    }
    const tail = yield new InnerItem(depth + 1, null, flags);
    return { kind, items, attributes, tail: tail.kind === "null" ? undefined : tail };
  }

  *#tag(depth: number): ItemReading<string> {
    const tag = yield new InnerItem(depth + 1);
    if (tag.kind !== "symbol") throw new InvalidDataError(`a cell's tag is ${tag.kind}, not a symbol`);
    return tag.name;
  }

  *#symbolName(): Reading<string> {
    const chars = yield* readChars(this.#input, this.#native);
    return chars === null ? "NA" : decodeString(chars.bytes, chars.encoding);
  }

  /** Reads the strings that make up an environment's name (InStringVec). */
  *#names(): Reading<string[]> {
    const zero = yield* this.#int();
    const length = yield* this.#int();
    if (zero !== 0 || length < 0) throw new InvalidDataError(`names of a persistent object: ${zero}, ${length}`);
    this.#input.expect(length, 8, "names of a persistent object");
    const names: string[] = [];
    for (let i = 0; i < length; i++) names.push(yield* this.#symbolName());
    return names;
  }

  *#environment(depth: number): ItemReading<REnvironment> {
    const locked = (yield* this.#int()) !== 0;
    const bindings = new Map<string, RValue>();
    const environment = {
      kind: "environment",
      locked,
      enclosure: R_NULL,
      bindings,
      attributes: NO_ATTRIBUTES,
    } as const;
    // The environment is registered before its contents are read, because these may refer to it.
    const filled: { -readonly [K in keyof REnvironment]: REnvironment[K] } = this.#remember({ ...environment });
    filled.enclosure = yield new InnerItem(depth + 1);
    const frame = yield new InnerItem(depth + 1);
    const table = yield new InnerItem(depth + 1);
    for (const [name, value] of listBindings(frame, table)) bindings.set(name, value);
    filled.attributes = getShallowAttributes(yield new InnerItem(depth + 1));
    return filled;
  }

  *#externalPointer(flags: number, depth: number): ItemReading<RExternalPointer> {
    const pointer: { -readonly [K in keyof RExternalPointer]: RExternalPointer[K] } = this.#remember({
      kind: "external pointer",
      protectedValue: R_NULL,
      tag: R_NULL,
      attributes: NO_ATTRIBUTES,
    });
    pointer.protectedValue = yield new InnerItem(depth + 1);
    pointer.tag = yield new InnerItem(depth + 1);
    pointer.attributes = getShallowAttributes(yield* this.#attributes(flags, depth));
    return pointer;
  }

  #remember<T extends RValue>(value: T): T {
    this.#references.push(value);
    return value;
  }

  #reference(index: number): RValue {
    const count = this.#references.length;
    if (index < 1 || index > count) throw new InvalidDataError(`reference ${index} of ${count}`);
    return this.#references[index - 1];
  }
}

/** Maximum nesting depth of values. R's stack overflows before that. */
const MAX_NESTED = 2 ** 16;

/** True if a value can contain other values. */
function isNested({ kind }: RValue): boolean {
  return ["list", "pairlist", "language", "s4", "environment", "external pointer"].includes(kind);
}

const TOO_DEEP: RValue = {
  kind: "unreadable",
  problem: `values nested deeper than ${MAX_DEPTH}`,
  isInvalid: false,
};

type VectorType = (typeof SEXP)["logical" | "integer" | "real" | "complex" | "raw" | "character" | "list"];

function isS4(flags: number): boolean {
  return ((flags >>> LEVELS_SHIFT) & S4_LEVEL) !== 0;
}

const GLOBAL: RNamedValue = { kind: "named", name: "global environment" };
const BASE: RNamedValue = { kind: "named", name: "base environment" };
const EMPTY: RNamedValue = { kind: "named", name: "empty environment" };
const BASE_NAMESPACE: RNamedValue = { kind: "named", name: "base namespace" };
const MISSING_ARGUMENT: RNamedValue = { kind: "named", name: "missing argument" };
const UNBOUND: RNamedValue = { kind: "named", name: "unbound value" };

export interface ReadRdsOptions {
  /**
   * Maximum number of bytes of all vectors together. Default: 64 times the size of the file, at least 256 MiB. Deflate
   * can shrink bytes by a factor of a thousand, and bzip2 by a million, but real data never shrink that much.
   */
  readonly maxVectorBytes?: number;
  /** Maximum number of lists, cells and objects. Elements of atomic vectors do not count. Default 4 Mi. */
  readonly maxValues?: number;
  /** Maximum size in bytes of expanded compact sequences. The file contains only their bounds. Default 256 MiB. */
  readonly maxExpandedBytes?: number;
  /** Storage for long vectors in sparse matrices; null (default) leaves them in memory. */
  readonly spill?: ByteSpill | null;
  readonly signal?: AbortSignal;
}

export interface ReadLimits {
  readonly maxVectorBytes: number;
  readonly maxValues: number;
  readonly maxExpandedBytes: number;
  readonly spill: ByteSpill | null;
}

/** @param size the size of the file in bytes. */
export function readLimits(options: ReadRdsOptions, size: number): ReadLimits {
  return {
    maxVectorBytes: options.maxVectorBytes ?? Math.max(2 ** 28, 64 * size),
    maxValues: options.maxValues ?? 2 ** 22,
    maxExpandedBytes: options.maxExpandedBytes ?? 2 ** 28,
    spill: options.spill ?? null,
  };
}

// Skips functions, expressions and byte code (ReadItem and ReadBC in R's serialize.c). They are neither stored nor run,
// but must be read to their end, because the values that follow may refer to environments in them.

/** Reads nested values. */
interface InnerItems {
  readonly input: ItemInput;
  readonly int: () => Reading<number>;
  readonly item: (depth: number) => InnerItem;
  /** Records a value that later values may refer to by number. */
  readonly remember: () => void;
}

/** Skips a value whose flags were already read. */
function* skipOpaque(flags: number, depth: number, items: InnerItems): ItemReading<void> {
  const { input, int, item } = items;
  switch (flags & 0xff) {
    case SEXP.closure:
    case SEXP.promise:
    case SEXP.dots: {
      // The attributes, the environment (as a tag), and two halves: the arguments and the body.
      const parts = 2 + (flags & HAS_ATTRIBUTES ? 1 : 0) + (flags & HAS_TAG ? 1 : 0);
      for (let i = 0; i < parts; i++) yield item(depth + 1);
      return;
    }
    case SEXP.special:
    case SEXP.builtin: {
      const length = yield* int();
      if (length < 0) throw new InvalidDataError(`a name of length ${length}`);
      input.expect(length, 1, "a name");
      if (!input.has(length)) yield length;
      input.chars(length);
      return;
    }
    case SEXP.expression: {
      const length = yield* readLength(input);
      input.expect(length, 4, "an expression");
      for (let i = 0; i < length; i++) yield item(depth + 1);
      break;
    }
    case SEXP.byteCode:
      // The number of values that occur twice.
      yield* int();
      yield* skipByteCode(depth, items);
      break;
    case SEXP.weakReference:
      items.remember();
      break;
    default:
      throw new TypeError(`SEXP type ${flags & 0xff} is not opaque`);
  }
  if (flags & HAS_ATTRIBUTES) yield item(depth + 1);
}

function* skipByteCode(depth: number, items: InnerItems): ItemReading<void> {
  if (depth > MAX_DEPTH) throw new UnsupportedError(`values nested deeper than ${MAX_DEPTH}`);
  const { input, int, item } = items;
  yield item(depth + 1);
  const constants = yield* int();
  if (constants < 0) throw new InvalidDataError(`${constants} constants of byte code`);
  input.expect(constants, 4, "the constants of byte code");
  for (let i = 0; i < constants; i++) {
    const type = yield* int();
    if (type === SEXP.byteCode) yield* skipByteCode(depth + 1, items);
    else if (isCall(type)) yield* skipCall(type, depth, items);
    else yield item(depth + 1);
  }
}

function isCall(type: number): boolean {
  return (
    type === SEXP.language ||
    type === SEXP.pairlist ||
    type === SEXP.byteCodeReference ||
    type === SEXP.byteCodeDefinition ||
    type === SEXP.byteCodeListWithAttributes ||
    type === SEXP.byteCodeCallWithAttributes
  );
}

/** Skips a call in a loop instead of recursively, because calls may be long and deeply nested. */
function* skipCall(first: number, depth: number, items: InnerItems): ItemReading<void> {
  const { int, item } = items;
  let type = first;
  /** Number of calls whose second halves still follow. */
  let open = 0;
  for (;;) {
    if (type === SEXP.byteCodeReference) yield* int();
    else if (!isCall(type)) yield item(depth + 1);
    else {
      if (type === SEXP.byteCodeDefinition) {
        yield* int();
        type = yield* int();
      }
      if (type === SEXP.byteCodeListWithAttributes || type === SEXP.byteCodeCallWithAttributes) yield item(depth + 1);
      yield item(depth + 1);
      open++;
      type = yield* int();
      continue;
    }
    if (open === 0) return;
    open--;
    type = yield* int();
  }
}
