/** Where a store of an annotated matrix is written: a file, a directory, a zip. */

import type { ContainerTarget } from "../targets/target.js";
import { type StoreFormat, storeOf } from "./stores.js";

/** @throws {InvalidInputError} where something is there already and must not be replaced. */
export async function storeTarget(
  path: string,
  format: StoreFormat,
  options: { readonly overwrite: boolean },
): Promise<ContainerTarget> {
  const { kind } = storeOf(format);
  switch (kind) {
    case "file":
      return (await import("../targets/file.node.js")).fileTarget(path, options);
    case "directory":
      return (await import("../targets/directory.node.js")).directoryTarget(path, options);
    case "zip": {
      const { fileTarget } = await import("../targets/file.node.js");
      const { zipTarget } = await import("../targets/zip.js");
      return zipTarget(await fileTarget(path, options));
    }
    default:
      kind satisfies never;
      throw new TypeError("unknown kind of store");
  }
}
