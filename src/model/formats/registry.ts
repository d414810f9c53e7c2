/** All formats, in the order in which they are tried during detection, and the lists derived from them. */

import { anndata } from "./anndata.js";
import { bpcells } from "./bpcells.js";
import type { FormatDescriptor, StoreDescriptor } from "./descriptor.js";
import type { OtherFormats } from "./extend.js";
import { hdf5, zarr } from "./generic.js";
import { loom } from "./loom.js";
import { matlab } from "./matlab.js";
import { mudata } from "./mudata.js";
import type { OptionValue, OptionValues } from "./option-table.js";
import { tables } from "./tables.js";
import { tenx } from "./tenx.js";

const OWN_FORMATS = [anndata, bpcells, loom, mudata, matlab, hdf5, zarr, tenx, tables] as const;

/** A format of this library, or a format that another package declares in `OtherFormats`. */
type KnownFormat = (typeof OWN_FORMATS)[number] | Extract<OtherFormats[keyof OtherFormats], FormatDescriptor>;

export type Format = KnownFormat["name"];

type KeysOf<T> = T extends unknown ? keyof T & string : never;

/** The extension that identifies a store that can be written: `h5ad`, `zarr.zip`. */
export type StoreFormat = KeysOf<KnownFormat["stores"]>;

type ShortOf<Store> = Store extends { readonly short: infer Short } ? Short : never;
type StoresOf<Stores> = Stores extends unknown ? Stores[keyof Stores] : never;

/** A shorter store name, which the option `format` accepts: `seurat` for `seurat.rds`. */
export type ShortStoreName = ShortOf<StoresOf<KnownFormat["stores"]>>;

/** The stores that a name can refer to: `zarr` is AnnData, MuData or generic arrays, depending on the tables. */
type Meant<Store extends string> = Extract<StoreFormat, Store | `${string}.${Store}`>;

/** The names of the options that at least one of the stores has, except those that any output may have. */
type NamesIn<Options, Stores> = {
  [Name in keyof Options]: Options[Name] extends { readonly ofSource: true }
    ? never
    : Options[Name] extends { readonly stores: readonly (infer Own)[] }
      ? [Extract<Own, Stores>] extends [never]
        ? never
        : Name
      : Name;
}[keyof Options];

type OptionsIn<F, Stores> = F extends KnownFormat
  ? [Extract<keyof F["stores"], Stores>] extends [never]
    ? never
    : OptionValues<Pick<F["options"], NamesIn<F["options"], Stores>>>
  : never;

type NamesOfSource<Options> = {
  [Name in keyof Options]: Options[Name] extends { readonly ofSource: true } ? Name : never;
}[keyof Options];

type OptionsAsSource<F> = F extends KnownFormat ? OptionValues<Pick<F["options"], NamesOfSource<F["options"]>>> : never;

type Both<T> = (T extends unknown ? (one: T) => void : never) extends (all: infer All) => void ? All : never;

type StoreNamed<Store extends string> = Extract<KnownFormat["stores"], { readonly [Name in Store]: unknown }>[Store];

/** The options of a store, except those that all stores have. */
export type OptionsOfStore<Store extends StoreFormat> = Both<OptionsIn<KnownFormat, Meant<Store>>>;

/** Options that apply to files that are read. Outputs of any format accept them. */
export type SourceOptions = Both<OptionsAsSource<KnownFormat>>;

/** The codecs of a store. */
export type CompressionOfStore<Store extends StoreFormat> =
  StoreNamed<Store> extends { readonly compressions: readonly (infer Codec)[] } ? Codec : never;

/** The values of the option `format` that refer to a store. */
export type NamesOfStore<Store extends StoreFormat> = Store | ShortOf<StoreNamed<Store>>;

type AnyOptions = KnownFormat["options"];

export type FormatOptionName = KeysOf<AnyOptions>;

type ValueIn<Options, Name> = Options extends unknown
  ? Name extends keyof Options
    ? OptionValue<Options[Name]>
    : never
  : never;

/** The options of all formats, for use before the format is known. */
export type AnyFormatOptions = { readonly [Name in FormatOptionName]?: ValueIn<AnyOptions, Name> };

/** A format of the registry. */
export interface RegisteredFormat extends FormatDescriptor {
  readonly name: Format;
}

/** A store of the registry. */
export interface RegisteredStore extends StoreDescriptor {
  readonly name: StoreFormat;
  /** The format of the tables in the store. */
  readonly format: Format;
}

const FORMATS: RegisteredFormat[] = [...OWN_FORMATS];

/** Adds the description of another package's format. Its names must not belong to any other format. */
export function addDescription(format: RegisteredFormat): void {
  const at = FORMATS.findIndex(({ name }) => name === format.before);
  FORMATS.splice(at === -1 ? FORMATS.length : at, 0, format);
}

/** Adds another package's stores to a format. @throws {TypeError} for an unknown format. */
export function addStores(name: Format, stores: FormatDescriptor["stores"]): void {
  const format = formatNamed(name);
  FORMATS[FORMATS.indexOf(format)] = { ...format, stores: { ...format.stores, ...stores } };
}

/**
 * Returns the option names of all formats if `names` contains the option names of the library's own formats; otherwise
 * none.
 */
export function formatOptionsBeside(names: object): ReadonlySet<string> {
  const isAllowed = OWN_FORMATS.every(({ options }) =>
    Object.keys(options).every((name) => Object.hasOwn(names, name)),
  );
  return new Set(isAllowed ? listFormats().flatMap(({ options }) => Object.keys(options)) : []);
}

export function listFormats(): readonly RegisteredFormat[] {
  return FORMATS;
}

/** Returns the format called `name`; null if it is unknown, since the name may come from a file. */
export function findFormat(name: unknown): RegisteredFormat | null {
  return typeof name === "string" ? (FORMATS.find((format) => format.name === name) ?? null) : null;
}

/** Returns the description of a known format. */
export function formatNamed(name: Format): RegisteredFormat {
  const format = findFormat(name);
  if (format === null) throw new TypeError(`no format ${name}`);
  return format;
}

/**
 * Returns the version to show after the name of a dataset's format: the version of its encoding, or of the format
 * itself.
 */
export function versionInWords(format: Format, version: string): string {
  if (version === "") return "";
  return formatNamed(format).versionOf === "encoding" ? ` (encoding version ${version})` : ` ${version}`;
}

export function isStoreFormat(name: string): name is StoreFormat {
  return listFormats().some(({ stores }) => Object.hasOwn(stores, name));
}

/** Lists the stores that can be written, in the order of their formats. */
export function listStores(): readonly RegisteredStore[] {
  return listFormats().flatMap(({ name: format, stores }) =>
    Object.entries(stores).flatMap(([name, store]) => (isStoreFormat(name) ? [{ ...store, name, format }] : [])),
  );
}

export function isShortStoreName(name: string | undefined): name is ShortStoreName {
  return name !== undefined && listStores().some(({ short }) => short === name);
}

/** Returns the extensions of files, but not of folders, that `open` may recognize. */
export function fileEndings(): ReadonlySet<string> {
  const files = listStores().filter(({ kind }) => kind !== "directory");
  return new Set([
    ...files.flatMap(({ name, shared = [] }) => [name, ...shared]),
    ...(files.some(({ kind }) => kind === "zip") ? ["zip"] : []),
    ...listFormats().flatMap(({ endings = [] }) => endings),
  ]);
}

/** Returns the extensions of folders that are stores. */
export function folderEndings(): ReadonlySet<string> {
  return new Set(listStores().flatMap(({ kind, name }) => (kind === "directory" ? [name] : [])));
}

/**
 * Returns the longest extension of a file's name that is in `endings`, without its dot: `zarr.zip` for `x.zarr.zip`.
 * Returns null if there is none.
 */
export function findEnding(name: string, endings: ReadonlySet<string>): string | null {
  const lower = name.toLowerCase();
  for (let dot = lower.indexOf("."); dot !== -1; dot = lower.indexOf(".", dot + 1)) {
    const ending = lower.slice(dot + 1);
    if (endings.has(ending)) return ending;
  }
  return null;
}
