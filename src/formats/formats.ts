/** The formats. A new one is a module, and a line in `FORMATS`. */

import type { Container, Group } from "../containers/tree/container.js";
import type { Conversions } from "../conversion/conversions.js";
import type { Format } from "../model/dataset.js";
import { NotFoundError, UnsupportedError } from "../model/errors.js";
import { type DatasetPlans, type ReaderOptions, readPlans } from "../readers/reader.js";
import { anndata } from "./anndata.js";
import { bpcells } from "./bpcells.js";
import { type AnyFormatModule, LOOKS, type StoreKind } from "./format.js";
import { loom } from "./loom.js";
import { matlab } from "./matlab.js";
import { mudata } from "./mudata.js";
import type { AnyStoreOptions } from "./store-options.js";
import { tenx } from "./tenx.js";

const FORMATS = [anndata, bpcells, loom, mudata, matlab, tenx] as const;

/** The modules of all formats. */
export const MODULES: readonly AnyFormatModule<AnyStoreOptions>[] = FORMATS;

type StoresOf<Module> = Module extends { readonly stores: infer Stores } ? keyof Stores : never;

/** A store that is written, by the end of its name: `h5ad`, `zarr.zip`. */
export type StoreFormat = StoresOf<(typeof FORMATS)[number]>;

interface WrittenStore {
  readonly module: AnyFormatModule<AnyStoreOptions>;
  readonly kind: StoreKind;
}

const STORES: ReadonlyMap<string, WrittenStore> = new Map(
  MODULES.flatMap((module) => Object.entries(module.stores).map(([name, kind]) => [name, { module, kind }] as const)),
);

export function isStoreFormat(name: string): name is StoreFormat {
  return STORES.has(name);
}

export const STORE_FORMATS: readonly StoreFormat[] = [...STORES.keys()].filter(isStoreFormat);

/** The module of the store's format, and the kind of the store. */
export function storeOf(store: StoreFormat): WrittenStore {
  const found = STORES.get(store);
  if (found === undefined) throw new UnsupportedError(`no store ${JSON.stringify(store)} is written`);
  return found;
}

export const conversions: Conversions = {
  formats: FORMATS.map(({ name }) => name),
  async of(format) {
    const module = MODULES.find(({ name }) => name === format);
    if (module !== undefined) return module.conversion();
    throw new UnsupportedError(
      `no conversion from or to the format ${format} yet: its tables are written as files of tables`,
    );
  },
};

/**
 * Recognises the format at `root`, and reads the structure by its reader.
 * @throws {NotFoundError} where no format is recognised.
 */
export async function readFormat(
  root: Group,
  container: Container,
  options: ReaderOptions,
): Promise<DatasetPlans & { readonly format: Format; readonly warnings: readonly string[] }> {
  const { name: format, reader } = await formatAt(root, container, options);
  return { format, ...(await readPlans(await reader(), container, root, options)) };
}

async function formatAt(root: Group, container: Container, options: ReaderOptions) {
  const read = options.signal === undefined ? {} : { signal: options.signal };
  let listed: Promise<readonly string[]> | undefined;
  const candidate = {
    ...{ root, container, options: read },
    keys: () => {
      listed ??= root.keys(read);
      return listed;
    },
  };
  for (const look of LOOKS) {
    for (const module of MODULES) {
      if ((await module.recognised[look]?.(candidate)) === true) return module;
    }
  }
  const keys = await candidate.keys();
  const inside = keys.includes("tables")
    ? "; SpatialData keeps its AnnData below tables/: open one of them by its path"
    : "";
  throw new NotFoundError(
    `no annotated matrix here: ${root.path || "the root"} holds ${keys.slice(0, 8).join(", ") || "nothing"}${inside}`,
  );
}
