/**
 * Plain HDF5 and Zarr: files that have no other format, and whose arrays become tables. One reader and one writer
 * handle both.
 */

import { hdf5 as descriptorOfHdf5, zarr as descriptorOfZarr } from "../model/formats/generic.js";
import { GENERIC_MARK, GENERIC_MARK_VALUE } from "../model/generic-mark.js";
import { detectOtherFormat } from "../readers/generic/detect-other-format.js";
import { createElementContainer } from "./anndata.js";
import { type Candidate, type CommonStoreOptions, type Detect, defineFormat, type StoreWriter } from "./format.js";
import { createWriterOptions } from "./store-container.js";

/** Recognises files of one of the two formats, which differ only in their container. */
function detectPlain(holds: (candidate: Candidate) => boolean): Detect {
  return {
    encoding: (candidate) => holds(candidate) && candidate.root.attributes.get(GENERIC_MARK) === GENERIC_MARK_VALUE,
    rest: async (candidate) => {
      const { container, root, keys, options } = candidate;
      return holds(candidate) && (await detectOtherFormat(container, root, await keys(), options)) === null;
    },
  };
}

const write: StoreWriter<{ readonly zarrFormat?: 2 | 3 }> = async (place, { tables }, options) => {
  const container = await createElementContainer(place, options, tables);
  const { writeGeneric } = await import("../writers/generic/write.js");
  const result = await writeGeneric(container, tables, await createWriterOptions(options));
  await container.close();
  return result;
};

export const hdf5 = defineFormat({
  ...descriptorOfHdf5,
  detect: detectPlain(({ container }) => container.kind === "hdf5"),
  read: async (root, cx) => (await import("../readers/generic/read.js")).readGeneric(root, cx),
  elements: async () => (await import("./conversion/generic.js")).hdf5,
  write: (place, tables, options: CommonStoreOptions) => write(place, tables, options),
});

export const zarr = defineFormat({
  ...descriptorOfZarr,
  detect: detectPlain(({ container }) => container.kind === "zarr2" || container.kind === "zarr3"),
  read: async (root, cx) => (await import("../readers/generic/read.js")).readGeneric(root, cx),
  elements: async () => (await import("./conversion/generic.js")).zarr,
  write,
});
