/** The exports of `containers/` for packages: `annarrow/core/containers`. */

export { getContainerTitle, hasExternalValues, isContainerKind, isZarrFolder } from "./open/containers.js";
export { createFieldArrays, createMappedArray } from "./picked/mapped-array.js";
export { createMemoryArray } from "./picked/memory-array.js";
export { toRowRanges } from "./picked/row-ranges.js";
export type { ByteSpill } from "./tree/byte-spill.js";
export type { AttributeValue, Node } from "./tree/container.js";
export type {
  ArrayDescription,
  ArrayWriter,
  ChunkEncoder,
  ChunkEncoding,
  ContainerWriter,
  GroupWriter,
  WrittenAttribute,
  WrittenAttributes,
} from "./tree/container-writer.js";
