/** The formats by what their root holds. A new format adds a line; a known one that is not read yet says so. */

import type { ContainerKind, Group } from "../containers/container.js";
import type { Format } from "../dataset.js";
import { NotFoundError, UnsupportedError } from "../errors.js";
import type { ReadOptions } from "../sources/source.js";
import { hasStore, storeVersion } from "./bpcells/find-stores.js";
import type { Reader } from "./reader.js";
import { withStores } from "./with-stores.js";

/** What a format may be recognised by besides the names at the root. */
interface Where {
  readonly container: ContainerKind;
  readonly options: ReadOptions;
}

interface FormatEntry {
  readonly format: Format;
  readonly isAt: (root: Group, keys: readonly string[], where: Where) => boolean | Promise<boolean>;
  readonly reader: () => Promise<Reader>;
}

const FORMATS: readonly FormatEntry[] = [
  {
    format: "mudata",
    isAt: (root, keys) => root.attributes.get("encoding-type") === "MuData" || keys.includes("mod"),
    reader: () => notRead("MuData"),
  },
  {
    format: "anndata",
    isAt: (root, keys) =>
      /^anndata$/i.test(String(root.attributes.get("encoding-type"))) ||
      ["obs", "var", "smp", "_obs", "_var", "_smp"].some((key) => keys.includes(key)),
    reader: async () => withStores((await import("./anndata/reader.js")).anndataReader),
  },
  {
    format: "loom",
    isAt: async (root, keys, { container, options }) =>
      ["row_attrs", "col_attrs"].some((key) => keys.includes(key)) ||
      (container === "hdf5" && keys.includes("matrix") && (await root.open("matrix", options)).kind === "array"),
    reader: async () => (await import("./loom/reader.js")).loomReader,
  },
  {
    format: "10x",
    isAt: async (root, keys, { options }) =>
      keys.includes("matrix")
        ? !(await isStore(root, "matrix", options))
        : root.attributes.has("PYTABLES_FORMAT_VERSION"),
    reader: () => notRead("Cell Ranger"),
  },
  {
    format: "bpcells",
    // Groups of BPCells lie anywhere in a file, so that all of it is searched: after everything else.
    isAt: async (root, _, { container, options }) => container === "hdf5" && (await hasStore(root, options)),
    reader: async () => (await import("./bpcells/reader.js")).bpcellsReader,
  },
];

async function isStore(root: Group, name: string, options: ReadOptions): Promise<boolean> {
  const node = await root.open(name, options);
  return node.kind === "group" && storeVersion(node) !== null;
}

function notRead(name: string): Promise<Reader> {
  return Promise.reject(
    new UnsupportedError(`a ${name} file; this version of annarrow reads AnnData, BPCells and Loom`),
  );
}

/**
 * The format at `root`, with its reader.
 * @throws {UnsupportedError} for a known format that is not read; {NotFoundError} where it is none.
 */
export async function formatAt(
  root: Group,
  container: ContainerKind,
  options: ReadOptions,
): Promise<{ format: Format; read: Reader }> {
  if (container === "directory" || container === "rds" || storeVersion(root) !== null) {
    return { format: "bpcells", read: (await import("./bpcells/reader.js")).bpcellsReader };
  }
  const keys = await root.keys(options);
  for (const { format, isAt, reader } of FORMATS) {
    if (await isAt(root, keys, { container, options })) return { format, read: await reader() };
  }
  const inside = keys.includes("tables")
    ? "; SpatialData keeps its AnnData below tables/: open one of them by its path"
    : "";
  throw new NotFoundError(
    `no annotated matrix here: the root holds ${keys.slice(0, 8).join(", ") || "nothing"}${inside}`,
  );
}
