/** Conversion rules as data: how a format stores each kind of element. `docs/conversions.md` is generated from them. */

/** Kinds of elements of the annotated view, by their AnnData names. */
export const ELEMENTS = [
  "X",
  "layers/*",
  "obs, var: index",
  "obs, var: columns of numbers or text",
  "obs, var: boolean columns",
  "obs, var: categorical columns",
  "obs, var: missing values",
  "obsm/*, varm/*: arrays",
  "obsm/*, varm/*: dataframes",
  "obsm/*, varm/*: sparse matrices",
  "obsm/*, varm/*: ragged arrays",
  "obsp/*, varp/*",
  "raw/*",
  "uns/*: scalars, arrays of numbers or text",
  "uns/*: mappings, and everything else",
  "fragments",
] as const;
export type ViewElement = (typeof ELEMENTS)[number];

/**
 * - `createUnchangedRule`: the values stay unchanged.
 * - `converted`: the values are converted to another form, with a warning.
 * - `createUnsupportedRule`: an error names the element; with `--lossy`, a warning does, and the rest is written.
 */
export type Support = "kept" | "converted" | "refused";

export interface ElementRule {
  /** Location of the element in the format; null if the format cannot store it. */
  readonly own: string | null;
  /** Treatment of the element when it is read from the format; null if the format has no such element. */
  readonly read: Exclude<Support, "refused"> | null;
  /** Treatment of the element when it is written to the format. */
  readonly write: Support;
  /** Notes on reading the element from the format, and on writing it. */
  readonly reading?: string;
  readonly writing?: string;
}

export type Rules = Readonly<Record<ViewElement, ElementRule>>;

/** Elements of a format that have no name in the view. All other formats refuse them. */
export interface UnmappedElement {
  readonly own: string;
  readonly note?: string;
}

/** Returns the rule for an element that the format stores unchanged. */
export function createUnchangedRule(own: string, notes: Pick<ElementRule, "reading" | "writing"> = {}): ElementRule {
  return { own, read: "kept", write: "kept", ...notes };
}

/** Returns the rule for an element that the format cannot store. */
export function createUnsupportedRule(writing?: string): ElementRule {
  return { own: null, read: null, write: "refused", writing };
}

/** Returns the rule for an element that is read from the format but never written. */
export function createReadOnlyRule(own: string, notes: Pick<ElementRule, "reading" | "writing"> = {}): ElementRule {
  return { own, read: "kept", write: "refused", ...notes };
}
