/** Reads metadata that describe a MATLAB value, from a table, a field or a mapping. */

export type MatlabMetadata = Readonly<Record<string, unknown>>;

export const NO_METADATA: MatlabMetadata = {};

export function isObject(value: unknown): value is MatlabMetadata {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the list of lengths in `value`; null if `value` is not such a list. */
export function parseSize(value: unknown): readonly number[] | null {
  if (!Array.isArray(value)) return null;
  const sizes = value.filter((one): one is number => typeof one === "number" && Number.isSafeInteger(one) && one >= 0);
  return sizes.length === value.length ? sizes : null;
}

export function parseTextList(value: unknown): readonly string[] | null {
  if (!Array.isArray(value)) return null;
  const texts = value.filter((one): one is string => typeof one === "string");
  return texts.length === value.length ? texts : null;
}

/** Returns the class in the metadata; null if they contain none. */
export function findMetadataClass({ class: name }: MatlabMetadata): string | null {
  return typeof name === "string" && name !== "" ? name : null;
}

/** Whether the metadata come from a MATLAB file. Metadata of other formats have no size. */
export function isFromMatlab(metadata: MatlabMetadata | null): metadata is MatlabMetadata {
  return metadata !== null && parseSize(metadata.size) !== null;
}

/** Returns the metadata of an element in a column. Metadata that all elements share are stored only once. */
export function getElementMetadata({ element, elements }: MatlabMetadata, index: number): MatlabMetadata {
  if (Array.isArray(elements) && isObject(elements[index])) return elements[index];
  return isObject(element) ? element : NO_METADATA;
}

/** Returns an element's size; null if the metadata do not contain it. */
export function findElementSize({ sizes }: MatlabMetadata, index: number): readonly number[] | null {
  return Array.isArray(sizes) ? parseSize(sizes[index]) : null;
}
