/** What becomes of each kind of element in a format, both ways, as data: `docs/conversions.md` is made of it. */

/** Kinds of elements of the annotated view, in the words of AnnData. */
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
 * - `kept`: the values are the same.
 * - `converted`: they have another form, and a warning says so.
 * - `refused`: an error names the element; with `--lossy` a warning does, and the rest is written.
 */
export type Fate = "kept" | "converted" | "refused";

export interface ElementRule {
  /** Where the format has it; null where it has no place for it. */
  readonly own: string | null;
  /** What becomes of it on the way from the format; null where the format has no such thing. */
  readonly read: Exclude<Fate, "refused"> | null;
  /** What becomes of it on the way to the format. */
  readonly write: Fate;
  /** What is to be known of the way from the format, and of the way to it. */
  readonly reading?: string;
  readonly writing?: string;
}

export type Rules = Readonly<Record<ViewElement, ElementRule>>;

/** What a format has besides, for which the view has no place: refused, whatever is written. */
export interface Beyond {
  readonly own: string;
  readonly note?: string;
}

/** What a format has under a name of its own, as it is. */
export function kept(own: string, notes: Pick<ElementRule, "reading" | "writing"> = {}): ElementRule {
  return { own, read: "kept", write: "kept", ...notes };
}

/** What a format has no place for. */
export function refused(writing?: string): ElementRule {
  return { own: null, read: null, write: "refused", ...(writing === undefined ? {} : { writing }) };
}

/** What is read, and not written. */
export function readOnly(own: string, notes: Pick<ElementRule, "reading" | "writing"> = {}): ElementRule {
  return { own, read: "kept", write: "refused", ...notes };
}
