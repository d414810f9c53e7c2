/** All formats, in the order in which they are asked whether a file is theirs, and the lists that derive from them. */

import type { OtherFormats } from "../extend.js";
import { anndata } from "./anndata.js";
import { bpcells } from "./bpcells.js";
import type { FormatDescriptor, StoreDescriptor } from "./descriptor.js";
import { hdf5, zarr } from "./generic.js";
import { loom } from "./loom.js";
import { matlab } from "./matlab.js";
import { mudata } from "./mudata.js";
import type { OptionValue, OptionValues } from "./option-table.js";
import { tables } from "./tables.js";
import { tenx } from "./tenx.js";

const OWN_FORMATS = [anndata, bpcells, loom, mudata, matlab, hdf5, zarr, tenx, tables] as const;

/** A format of the library, or of another package that declares it in `OtherFormats`. */
type KnownFormat = (typeof OWN_FORMATS)[number] | Extract<OtherFormats[keyof OtherFormats], FormatDescriptor>;

export type Format = KnownFormat["name"];

type KeysOf<T> = T extends unknown ? keyof T & string : never;

/** A store that is written, by the end of its name: `h5ad`, `zarr.zip`. */
export type StoreFormat = KeysOf<KnownFormat["stores"]>;

type ShortOf<Store> = Store extends { readonly short: infer Short } ? Short : never;
type StoresOf<Stores> = Stores extends unknown ? Stores[keyof Stores] : never;

/** A shorter name of stores, as the option `format` takes it: `seurat` of `seurat.rds`. */
export type ShortStoreName = ShortOf<StoresOf<KnownFormat["stores"]>>;

/** The stores that a name may mean: `zarr` is AnnData, MuData or generic arrays, depending on the tables. */
type Meant<Store extends string> = Extract<StoreFormat, Store | `${string}.${Store}`>;

/** The names of the options that one of the stores has, besides those that any output may have. */
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

/** The options of a store that not every store has. */
export type OptionsOfStore<Store extends StoreFormat> = Both<OptionsIn<KnownFormat, Meant<Store>>>;

/** Options about files that are read, for outputs of any format. */
export type SourceOptions = Both<OptionsAsSource<KnownFormat>>;

/** The codecs of a store. */
export type CompressionOfStore<Store extends StoreFormat> =
  StoreNamed<Store> extends { readonly compressions: readonly (infer Codec)[] } ? Codec : never;

/** The values of the option `format` that mean a store. */
export type NamesOfStore<Store extends StoreFormat> = Store | ShortOf<StoreNamed<Store>>;

type AnyOptions = KnownFormat["options"];

export type FormatOptionName = KeysOf<AnyOptions>;

type ValueIn<Options, Name> = Options extends unknown
  ? Name extends keyof Options
    ? OptionValue<Options[Name]>
    : never
  : never;

/** Options of any format, before the format is known. */
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

/** Adds the description of a format of another package, whose names no other format has. */
export function addDescription(format: RegisteredFormat): void {
  const at = FORMATS.findIndex(({ name }) => name === format.before);
  FORMATS.splice(at === -1 ? FORMATS.length : at, 0, format);
}

/** Adds stores of another package to those of a format. @throws {TypeError} for an unknown format. */
export function addStores(name: Format, stores: FormatDescriptor["stores"]): void {
  const format = formatNamed(name);
  FORMATS[FORMATS.indexOf(format)] = { ...format, stores: { ...format.stores, ...stores } };
}

/** The names of the options of all formats, where these names have those of the library's formats; else none. */
export function formatOptionsBeside(names: object): ReadonlySet<string> {
  const isAllowed = OWN_FORMATS.every(({ options }) =>
    Object.keys(options).every((name) => Object.hasOwn(names, name)),
  );
  return new Set(isAllowed ? listFormats().flatMap(({ options }) => Object.keys(options)) : []);
}

export function listFormats(): readonly RegisteredFormat[] {
  return FORMATS;
}

/** The format of this name; null for an unknown one, which a file may name. */
export function findFormat(name: unknown): RegisteredFormat | null {
  return typeof name === "string" ? (FORMATS.find((format) => format.name === name) ?? null) : null;
}

/** Returns the description of a known format. */
export function formatNamed(name: Format): RegisteredFormat {
  const format = findFormat(name);
  if (format === null) throw new TypeError(`no format ${name}`);
  return format;
}

/** The version of a dataset behind the name of its format: that of its encoding, or of the format itself. */
export function versionInWords(format: Format, version: string): string {
  if (version === "") return "";
  return formatNamed(format).versionOf === "encoding" ? ` (encoding version ${version})` : ` ${version}`;
}

export function isStoreFormat(name: string): name is StoreFormat {
  return listFormats().some(({ stores }) => Object.hasOwn(stores, name));
}

/** The stores that are written, in the order of their formats. */
export function listStores(): readonly RegisteredStore[] {
  return listFormats().flatMap(({ name: format, stores }) =>
    Object.entries(stores).flatMap(([name, store]) => (isStoreFormat(name) ? [{ ...store, name, format }] : [])),
  );
}

export function isShortStoreName(name: string | undefined): name is ShortStoreName {
  return name !== undefined && listStores().some(({ short }) => short === name);
}

/** Ends of names of files that `open` may know; not of folders. */
export function fileEndings(): ReadonlySet<string> {
  const files = listStores().filter(({ kind }) => kind !== "directory");
  return new Set([
    ...files.flatMap(({ name, shared = [] }) => [name, ...shared]),
    ...(files.some(({ kind }) => kind === "zip") ? ["zip"] : []),
    ...listFormats().flatMap(({ endings = [] }) => endings),
  ]);
}

/** Ends of names of folders that are stores. */
export function folderEndings(): ReadonlySet<string> {
  return new Set(listStores().flatMap(({ kind, name }) => (kind === "directory" ? [name] : [])));
}

/** The longest end of a file's name that is one of `endings`, without its dot: `zarr.zip` of `x.zarr.zip`; null for none. */
export function findEnding(name: string, endings: ReadonlySet<string>): string | null {
  const lower = name.toLowerCase();
  for (let dot = lower.indexOf("."); dot !== -1; dot = lower.indexOf(".", dot + 1)) {
    const ending = lower.slice(dot + 1);
    if (endings.has(ending)) return ending;
  }
  return null;
}
