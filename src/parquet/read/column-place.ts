/** Where a column stands in a schema. Its path alone does not tell: names may repeat, and may have dots. */
export interface ColumnPlace {
  /** `column`, or `column.item` within nested types. */
  readonly path: string;
  /** The places of the fields that lead to it. */
  readonly key: string;
}

export function topPlace(at: number, name: string): ColumnPlace {
  return { path: name, key: String(at) };
}

/** The place of the child `at` of what stands at `place`. */
export function childPlace({ path, key }: ColumnPlace, at: number, name: string): ColumnPlace {
  return { path: `${path}.${name}`, key: `${key}.${at}` };
}
