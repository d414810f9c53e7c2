/**
 * The formats, and the options of each format. To add a format, add a module, a line in `OWN_MODULES`, and a
 * description in `model/formats/`.
 */

import type { Container, Group } from "../containers/tree/container.js";
import { once } from "../kernels/values/once.js";
import type { Format } from "../model/dataset.js";
import { InvalidInputError, NotFoundError, UnsupportedError } from "../model/errors.js";
import { type FormatOption, listOptionValues, optionInWords } from "../model/formats/option-table.js";
import { detectOtherFormat } from "../readers/generic/detect-other-format.js";
import { type DatasetPlans, type ReaderOptions, readPlans } from "../readers/reader.js";
import { anndata } from "./anndata.js";
import { bpcells } from "./bpcells.js";
import type { Conversions } from "./conversion/conversions.js";
import { DETECT_STEPS, type FormatModule } from "./format.js";
import { hdf5, zarr } from "./generic.js";
import { loom } from "./loom.js";
import { matlab } from "./matlab.js";
import { mudata } from "./mudata.js";
import { getWrittenStore, type StoreFormat } from "./output.js";
import { listOptionsOfFormats, withRegistered } from "./register-format.js";
import type { AnyStoreOptions } from "./store-options.js";
import { tenx } from "./tenx.js";

/** The formats that can read any file in their container. */
export type GenericFormat = "hdf5" | "zarr";

const OWN_MODULES: readonly FormatModule[] = [anndata, bpcells, loom, mudata, matlab, hdf5, zarr, tenx];

/** The modules, in the order in which they are checked for a match with a file. */
const listModules = () => withRegistered(OWN_MODULES);

/** @throws {UnsupportedError} for a format without a module, which means tables in separate files. */
export function getFormatModule(format: Format): FormatModule {
  const module = listModules().find(({ name }) => name === format);
  if (module !== undefined) return module;
  throw new UnsupportedError(
    `no conversion from or to the format ${format} yet: its tables are written as files of tables`,
  );
}

/** The module that writes a store. */
export function getStoreModule(store: StoreFormat): FormatModule {
  const module = listModules().find(({ stores }) => Object.hasOwn(stores, store));
  return module ?? getFormatModule(getWrittenStore(store).format);
}

export const conversions: Conversions = {
  get formats() {
    return [...new Set(listModules().map(({ name }) => name))];
  },
  of: async (format) => getFormatModule(format).elements(),
};

/**
 * Detects the format at `root`, and reads the structure with that format's reader.
 * @throws {NotFoundError} if no format is detected.
 */
export async function readFormat(
  root: Group,
  container: Container,
  options: ReaderOptions & { readonly openAs?: GenericFormat },
): Promise<DatasetPlans & { readonly format: Format; readonly warnings: readonly string[] }> {
  const { openAs } = options;
  const { name: format, read } =
    openAs === undefined ? await formatAt(root, container, options) : openedAs(openAs, container);
  const { plain, ...others } = options;
  const isPlain = format === "hdf5" || format === "zarr";
  if (plain !== undefined && !isPlain && plain.ofFolder !== true) {
    const option = plain.cf === true ? "cf (--cf)" : "frame (--frame)";
    throw new InvalidInputError(
      `the option ${option} is about plain HDF5 and Zarr, and this is ${format}; openAs (--open-as) reads its arrays so`,
    );
  }
  return { format, ...(await readPlans(read, container, root, isPlain ? options : others)) };
}

/** @throws {InvalidInputError} if the container is a different one. */
function openedAs(wanted: GenericFormat, { kind }: Container) {
  const isHdf5 = kind === "hdf5";
  if (wanted === "hdf5" ? isHdf5 : kind === "zarr2" || kind === "zarr3") return getFormatModule(wanted);
  throw new InvalidInputError(`is no ${wanted === "hdf5" ? "HDF5 file" : "Zarr store"}, as openAs (--open-as) says`);
}

async function formatAt(root: Group, container: Container, options: ReaderOptions) {
  const read = { signal: options.signal };
  const candidate = { root, container, options: read, keys: once(() => root.keys(read)) };
  for (const step of DETECT_STEPS) {
    for (const module of listModules()) {
      if ((await module.detect[step]?.(candidate)) === true) return module;
    }
  }
  const keys = await candidate.keys();
  const sign = await detectOtherFormat(container, root, keys, read);
  const why =
    sign === null
      ? ""
      : ` (${sign}; --open-as ${container.kind === "hdf5" ? "hdf5" : "zarr"} reads all arrays as they are)`;
  const inside = keys.includes("tables")
    ? "; SpatialData keeps its AnnData below tables/: open one of them by its path"
    : "";
  throw new NotFoundError(
    `no annotated matrix here: ${root.path || "the root"} holds ${keys.slice(0, 8).join(", ") || "nothing"}${inside}${why}`,
  );
}

/** @throws {InvalidInputError} for an option that the format does not support, and for a value that is not allowed. */
export function checkStoreOptions(store: StoreFormat, options: object): void {
  const table = getStoreModule(store).options;
  for (const [name, value, option] of given(options)) {
    const own = Object.hasOwn(table, name) ? table[name] : null;
    if (own === null || own.stores?.includes(store) === false) {
      throw new InvalidInputError(`.${store} has no choice of ${optionInWords(option)}`);
    }
    const values = listOptionValues(own);
    if (values?.includes(value) === false) {
      throw new InvalidInputError(`.${store} has no ${name} ${JSON.stringify(value)}; there are ${values.join(", ")}`);
    }
    if (values === null && typeof value !== "string") {
      throw new InvalidInputError(`${name} of .${store} is text, not ${JSON.stringify(value)}`);
    }
  }
}

/** @throws {InvalidInputError} for an option that applies only to stores, not to tables in separate files. */
export function checkTableOptions(options: Omit<AnyStoreOptions, "compression">): void {
  const [first] = given(options);
  if (first !== undefined) {
    throw new InvalidInputError(`files of tables have no choice of ${optionInWords(first[2])}`);
  }
  if (options.matrix !== undefined) {
    throw new InvalidInputError("files of tables have no matrix to be chosen: name the tables (--table)");
  }
  if (options.elements !== undefined) {
    throw new InvalidInputError(
      "files of tables keep the names of variables: choose some by their names (--table), not as elements (--X, --obs, --var, --element)",
    );
  }
  if (options.obsNames !== undefined || options.varNames !== undefined) {
    throw new InvalidInputError(
      "files of tables keep the names of columns: there are none to choose (--obs-attr, --var-attr)",
    );
  }
}

/** Picks the given options that only some formats support, and adds their descriptions. */
function given(options: object): readonly (readonly [name: string, value: unknown, option: FormatOption])[] {
  const all = listOptionsOfFormats();
  return Object.entries(options).flatMap(([name, value]) => {
    const option = all.get(name);
    return value === undefined || option === undefined || option.ofSource === true ? [] : [[name, value, option]];
  });
}
