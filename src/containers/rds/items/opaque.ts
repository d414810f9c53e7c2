/**
 * Passes over functions, expressions and byte code (ReadItem and ReadBC in R's serialize.c). Nothing of them is kept or
 * run, but they are read to their end, since other values follow, which may refer to environments in them.
 */

import { InvalidDataError, UnsupportedError } from "../../../model/errors.js";
import type { ItemInput, Reading } from "../input/item-input.js";
import { HAS_ATTRIBUTES, HAS_TAG, MAX_DEPTH, SEXP } from "../model/sexp-type.js";
import { readLength } from "./character-vector.js";
import type { InnerItem, ItemReading } from "./inner-item.js";

/** What reads the values inside. */
export interface InnerItems {
  readonly input: ItemInput;
  readonly int: () => Reading<number>;
  readonly item: (depth: number) => InnerItem;
  /** Remembers a value that later ones may refer to by its number. */
  readonly remember: () => void;
}

/** Passes over a value whose flags were read. */
export function* skipOpaque(flags: number, depth: number, items: InnerItems): ItemReading<void> {
  const { input, int, item } = items;
  switch (flags & 0xff) {
    case SEXP.closure:
    case SEXP.promise:
    case SEXP.dots: {
      // The attributes, the environment as a tag, and two halves: the arguments and the body.
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
      // The number of values that are used twice.
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

/** Passes over a call in a loop, since calls are long and deep. */
function* skipCall(first: number, depth: number, items: InnerItems): ItemReading<void> {
  const { int, item } = items;
  let type = first;
  /** Calls whose last halves follow. */
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
