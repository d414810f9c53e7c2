/**
 * What a format of another package is made with: its description, its options, and what reads and writes the elements
 * that formats have in common. A registered format is opened, converted and written like the library's own.
 * Codecs of other packages are registered here, too (`registerCodec`).
 *
 * @example
 * ```ts
 * import { CELLS_BY_GENES, defineFormat, describeFormat, openChild, readElements, registerFormat } from "annarrow/format";
 *
 * const study = describeFormat({
 *   ...{ name: "study", title: "Study", stores: {}, endings: ["study.h5"], options: {} },
 *   ...{ axes: CELLS_BY_GENES, tableNames: "anndata" },
 * });
 * declare module "annarrow/extend" {
 *   interface OtherFormats { study: typeof study }
 * }
 * registerFormat(
 *   defineFormat({
 *     ...study,
 *     detect: { names: ({ root }) => root.attributes.has("study") },
 *     // An AnnData in a group of the file.
 *     read: async (root, cx) => readElements(await openChild(root, "cells", cx), cx),
 *     write: null,
 *   }),
 * );
 * ```
 * @module
 */

export { registerCodec } from "./api/codecs/register-codec.js";
export {
  type ContainerDefinition,
  type ContainerOptions,
  type FileContainer,
  type FolderContainer,
  registerContainer,
} from "./containers/open/containers.js";
export type { Container, Group, StoredArray } from "./containers/tree/container.js";
export { createStore, readElements, writeElements } from "./formats/elements.js";
export {
  type Candidate,
  type CommonStoreOptions,
  type Detect,
  type DetectStep,
  defineFormat,
  type FormatDefinition,
  type FormatModule,
  type StoreDestination,
  type StoreWriter,
  type WriteResult,
} from "./formats/format.js";
export { registerFormat, registerStores } from "./formats/register-format.js";
export type { ByteSource, KeyValueSource, ReadOptions } from "./io/sources/source.js";
export type { ByteCodec, CodecSettings, MakeCodec, OutputSize } from "./kernels/codecs/bounds/byte-codec.js";
export type { LoadCodec } from "./kernels/codecs/codecs.js";
export * from "./model/formats/descriptor.js";
export {
  choice,
  type FormatOption,
  type OptionTable,
  type OptionValues,
  text,
  toggle,
} from "./model/formats/option-table.js";
export { createArrayTable, createDataframeTable, createSparseTable, type TableElement } from "./readers/element.js";
export { type DatasetPlans, listChildNames, openChild, type ReaderContext } from "./readers/reader.js";
export { createTextAttribute } from "./writers/attributes.js";
