/** The numbers in the lowest byte of an item's flags ("R Internals", 1.8, and R's serialize.c). */
export const SEXP = {
  symbol: 1,
  pairlist: 2,
  environment: 4,
  language: 6,
  chars: 9,
  logical: 10,
  integer: 13,
  real: 14,
  complex: 15,
  character: 16,
  list: 19,
  externalPointer: 22,
  raw: 24,
  s4: 25,
  altrep: 238,
  baseEnvironment: 241,
  emptyEnvironment: 242,
  package: 248,
  namespace: 249,
  baseNamespace: 250,
  missingArgument: 251,
  unboundValue: 252,
  globalEnvironment: 253,
  null: 254,
  reference: 255,
} as const;

/** Types that are not supported, with R's names for them. */
export const UNSUPPORTED_SEXP: ReadonlyMap<number, string> = new Map([
  [3, "CLOSXP (a function)"],
  [5, "PROMSXP (a promise)"],
  [7, "SPECIALSXP (a function of R's own)"],
  [8, "BUILTINSXP (a function of R's own)"],
  [17, "DOTSXP"],
  [18, "ANYSXP"],
  [20, "EXPRSXP (an expression)"],
  [21, "BCODESXP (byte code)"],
  [23, "WEAKREFSXP (a weak reference)"],
  [239, "ATTRLISTSXP (byte code)"],
  [240, "ATTRLANGSXP (byte code)"],
  [243, "BCREPREF (byte code)"],
  [244, "BCREPDEF (byte code)"],
  [245, "GENERICREFSXP"],
  [246, "CLASSREFSXP"],
  [247, "PERSISTSXP (an object that a hook has kept elsewhere)"],
]);

/** The bits of the flags above the type, and the first bit of the levels, 12. */
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

/** The name of the symbol that stands for NULL in a slot, which cannot be NULL. */
export const NULL_SLOT = "\u0001NULL\u0001";

/** The deepest nesting of values that is read and written; R's own limit is about as high. */
export const MAX_DEPTH = 1000;
