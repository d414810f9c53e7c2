/** The formats by what their root holds. A new format adds a line. */

import type { AttributeValue, Container, Group } from "../containers/tree/container.js";
import type { ContainerKind, Format } from "../model/dataset.js";
import { NotFoundError } from "../model/errors.js";
import { findMatrices } from "../readers/10x/find-matrices.js";
import { otherFile } from "../readers/10x/other-file.js";
import { hasStore, storeVersion } from "../readers/bpcells/stores/find-stores.js";
import { hasMatlabHeader, hasMatlabVariables, isPlainMat } from "../readers/matlab/recognised.js";
import type { Reader } from "../readers/reader.js";
import type { ReadOptions } from "../sources/source.js";
import { withStores } from "./with-stores.js";

/** What a format may be recognised by besides the names at the root. */
interface Where {
  readonly container: ContainerKind;
  readonly file: Container;
  readonly options: ReadOptions;
}

interface FormatEntry {
  readonly format: Format;
  readonly isAt: (root: Group, keys: readonly string[], where: Where) => boolean | Promise<boolean>;
  readonly reader: () => Promise<Reader>;
}

const matlab = async () => (await import("../readers/matlab/reader.js")).matlabReader;

const FORMATS: readonly FormatEntry[] = [
  // Its variables may have any names.
  { format: "matlab", isAt: (_, keys, { file }) => hasMatlabHeader(file, keys), reader: matlab },
  {
    format: "mudata",
    isAt: (root, keys) => root.attributes.get("encoding-type") === "MuData" || keys.includes("mod"),
    reader: async () => {
      const [{ mudataReader }, { readAnnData }] = await Promise.all([
        import("../readers/mudata/reader.js"),
        import("../readers/anndata/read.js"),
      ]);
      return withStores(mudataReader(readAnnData));
    },
  },
  {
    format: "anndata",
    isAt: (root, keys) =>
      /^anndata$/i.test(textOf(root.attributes.get("encoding-type"))) ||
      ["obs", "var", "smp", "_obs", "_var", "_smp"].some((key) => keys.includes(key)),
    reader: async () => withStores((await import("../readers/anndata/reader.js")).anndataReader),
  },
  {
    format: "loom",
    isAt: async (root, keys, { container, options }) =>
      ["row_attrs", "col_attrs"].some((key) => keys.includes(key)) ||
      (container === "hdf5" && keys.includes("matrix") && (await root.open("matrix", options)).kind === "array"),
    reader: async () => (await import("../readers/loom/reader.js")).loomReader,
  },
  {
    format: "10x",
    isAt: async (root, keys, { container, options }) =>
      container === "hdf5" &&
      !(keys.includes("matrix") && (await isStore(root, "matrix", options))) &&
      (otherFile(root, keys) !== null || (await findMatrices(root, keys, options)).length > 0),
    reader: async () => (await import("../readers/10x/reader.js")).cellRangerReader,
  },
  {
    format: "matlab",
    isAt: (root, keys, { file, options }) => hasMatlabVariables(file, root, keys, options),
    reader: matlab,
  },
  {
    format: "bpcells",
    // Groups of BPCells lie anywhere in a file, so that all of it is searched: after everything else.
    isAt: async (root, _, { container, options }) => container === "hdf5" && (await hasStore(root, options)),
    reader: async () => (await import("../readers/bpcells/reader.js")).bpcellsReader,
  },
  { format: "matlab", isAt: (_, keys, { file }) => isPlainMat(file, keys), reader: matlab },
];

/** A text, also where R has stored it as a list of one; `""` for anything else. */
function textOf(value: AttributeValue | undefined): string {
  const one = Array.isArray(value) ? value[0] : value;
  return typeof one === "string" ? one : "";
}

async function isStore(root: Group, name: string, options: ReadOptions): Promise<boolean> {
  const node = await root.open(name, options);
  return node.kind === "group" && storeVersion(node) !== null;
}

/**
 * The format at `root`, with its reader.
 * @throws {NotFoundError} where it is none.
 */
export async function formatAt(
  root: Group,
  file: Container,
  options: ReadOptions,
): Promise<{ format: Format; read: Reader }> {
  const { kind: container } = file;
  if (container === "directory" || container === "rds" || storeVersion(root) !== null) {
    return { format: "bpcells", read: (await import("../readers/bpcells/reader.js")).bpcellsReader };
  }
  const keys = await root.keys(options);
  for (const { format, isAt, reader } of FORMATS) {
    if (await isAt(root, keys, { container, file, options })) return { format, read: await reader() };
  }
  const inside = keys.includes("tables")
    ? "; SpatialData keeps its AnnData below tables/: open one of them by its path"
    : "";
  throw new NotFoundError(
    `no annotated matrix here: ${root.path || "the root"} holds ${keys.slice(0, 8).join(", ") || "nothing"}${inside}`,
  );
}
