/** Files of 10x Genomics that hold no matrix of barcodes. */

import type { AttributeValue, Group } from "../../containers/tree/container.js";

/** By the attribute `filetype` of the root. */
const FILE_TYPES: ReadonlyMap<string, string> = new Map([
  ["molecule", "a molecule_info file, which lists molecules"],
  ["feature_slice", "a feature_slice file, which holds images of counts"],
]);

/** What the file is, for a message; null where it is none of them. Before Cell Ranger 3 only the names say it. */
export function otherFile(root: Group, keys: readonly string[]): string | null {
  const type = single(root.attributes.get("filetype"));
  const isMolecules = keys.includes("umi") && ["barcode_idx", "barcode"].some((key) => keys.includes(key));
  return FILE_TYPES.get(isMolecules ? "molecule" : String(type)) ?? null;
}

function single(value: AttributeValue | undefined): AttributeValue | undefined {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}
