/** The type numbers in the lowest byte of an item's flags ("R Internals", 1.8, and R's serialize.c). */
export const SEXP = {
  symbol: 1,
  pairlist: 2,
  closure: 3,
  environment: 4,
  promise: 5,
  language: 6,
  special: 7,
  builtin: 8,
  chars: 9,
  logical: 10,
  integer: 13,
  real: 14,
  complex: 15,
  character: 16,
  dots: 17,
  list: 19,
  expression: 20,
  byteCode: 21,
  externalPointer: 22,
  weakReference: 23,
  raw: 24,
  s4: 25,
  altrep: 238,
  byteCodeListWithAttributes: 239,
  byteCodeCallWithAttributes: 240,
  baseEnvironment: 241,
  emptyEnvironment: 242,
  byteCodeReference: 243,
  byteCodeDefinition: 244,
  persistent: 247,
  package: 248,
  namespace: 249,
  baseNamespace: 250,
  missingArgument: 251,
  unboundValue: 252,
  globalEnvironment: 253,
  null: 254,
  reference: 255,
} as const;

/** Types that are skipped, with their descriptions. */
export const OPAQUE_SEXP: ReadonlyMap<number, string> = new Map([
  [SEXP.closure, "a function"],
  [SEXP.promise, "a promise"],
  [SEXP.special, "a function of R's own"],
  [SEXP.builtin, "a function of R's own"],
  [SEXP.dots, "arguments of a function"],
  [SEXP.expression, "an expression"],
  [SEXP.byteCode, "byte code"],
  [SEXP.weakReference, "a weak reference"],
]);

/** Types that are not supported, with the names that R uses for them. */
export const UNSUPPORTED_SEXP: ReadonlyMap<number, string> = new Map([
  [18, "ANYSXP"],
  [243, "BCREPREF (byte code)"],
  [244, "BCREPDEF (byte code)"],
  [245, "GENERICREFSXP"],
  [246, "CLASSREFSXP"],
]);

/** The bits above the type in the flags. The levels start at bit 12. */
export const IS_OBJECT = 1 << 8;
export const HAS_ATTRIBUTES = 1 << 9;
export const HAS_TAG = 1 << 10;
export const LEVELS_SHIFT = 12;

export const S4_LEVEL = 1 << 4;

/** The levels of a string. */
export const BYTES_LEVEL = 1 << 1;
export const LATIN1_LEVEL = 1 << 2;
export const UTF8_LEVEL = 1 << 3;
export const ASCII_LEVEL = 1 << 6;

/** The name of the symbol that represents NULL in a slot, because a slot cannot contain NULL itself. */
export const NULL_SLOT = "\u0001NULL\u0001";

/** Maximum nesting depth of values that are read. */
export const MAX_DEPTH = 1000;

/** Maximum nesting depth of values that are written, by recursive functions. */
export const MAX_WRITTEN_DEPTH = 256;
