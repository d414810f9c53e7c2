/** Where a store of an annotated matrix is written: a file, a directory, a zip. */

import type { StoreFormat } from "../formats/output.js";
import type { ContainerTarget } from "../targets/target.js";

/** @throws {InvalidInputError} where something is there already and must not be replaced. */
export async function storeTarget(
  path: string,
  format: StoreFormat,
  options: { readonly overwrite: boolean },
): Promise<ContainerTarget> {
  switch (format) {
    case "h5ad":
    case "loom":
    case "h5mu":
    case "mat":
    case "bpcells.h5":
    case "bpcells.rds":
      return (await import("../targets/file.node.js")).fileTarget(path, options);
    case "zarr":
    case "mudata.zarr":
    case "bpcells":
      return (await import("../targets/directory.node.js")).directoryTarget(path, options);
    case "zarr.zip":
    case "mudata.zarr.zip": {
      const { fileTarget } = await import("../targets/file.node.js");
      const { zipTarget } = await import("../targets/zip.js");
      return zipTarget(await fileTarget(path, options));
    }
    default:
      format satisfies never;
      throw new TypeError("unknown format of a store");
  }
}
