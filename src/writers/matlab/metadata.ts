/** What the metadata of a table, a field or a mapping says of a MATLAB value. */

export type MatlabMetadata = Readonly<Record<string, unknown>>;

export const NO_METADATA: MatlabMetadata = {};

export function isObject(value: unknown): value is MatlabMetadata {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** null where it is no list of lengths. */
export function sizeOf(value: unknown): readonly number[] | null {
  if (!Array.isArray(value)) return null;
  const sizes = value.filter((one): one is number => typeof one === "number" && Number.isSafeInteger(one) && one >= 0);
  return sizes.length === value.length ? sizes : null;
}

export function textsOf(value: unknown): readonly string[] | null {
  if (!Array.isArray(value)) return null;
  const texts = value.filter((one): one is string => typeof one === "string");
  return texts.length === value.length ? texts : null;
}

/** null where it names no class. */
export function classOf({ class: name }: MatlabMetadata): string | null {
  return typeof name === "string" && name !== "" ? name : null;
}

/** Whether it was read from a MATLAB file: those of other formats have no size. */
export function isFromMatlab(metadata: MatlabMetadata | null): metadata is MatlabMetadata {
  return metadata !== null && sizeOf(metadata.size) !== null;
}

/** The metadata of each element of a column, which is said once where all have the same. */
export function elementMetadata({ element, elements }: MatlabMetadata, index: number): MatlabMetadata {
  if (Array.isArray(elements) && isObject(elements[index])) return elements[index];
  return isObject(element) ? element : NO_METADATA;
}

/** The size of each element, where that is said. */
export function elementSize({ sizes }: MatlabMetadata, index: number): readonly number[] | null {
  return Array.isArray(sizes) ? sizeOf(sizes[index]) : null;
}
