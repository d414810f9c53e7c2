/**
 * The options of every store, as a union by format, so that the compiler rejects options that a format does not
 * support.
 */

import {
  type AnyFormatOptions,
  type CompressionOfStore,
  type FormatOptionName,
  listFormats,
  type NamesOfStore,
  type OptionsOfStore,
  type StoreFormat,
} from "../model/formats/registry.js";
import type { KeyOf, NamesOf } from "../model/option-names.js";
import type { CompressionOptions, StoreCompression } from "./compression.js";
import type { CommonStoreOptions } from "./format.js";

type OptionsOf<Store extends StoreFormat> = { readonly format?: NamesOfStore<Store> } & OptionsOfStore<Store> &
  CompressionOptions<Extract<CompressionOfStore<Store>, StoreCompression>>;

/** Options by the store that supports them. */
export type OwnStoreOptions = { [Store in StoreFormat]: OptionsOf<Store> }[StoreFormat];

/** Maps each member of a union to one that forbids the properties of all other members. */
export type Exclusive<T, Keys extends PropertyKey> = T extends unknown
  ? T & { readonly [Other in Exclude<Keys, keyof T>]?: never }
  : never;

/**
 * Options for writing a store: `{ format: "zarr", zarrFormat: 3 }`, or `{ version: "2.0.1" }` for Loom. A file's name
 * determines its format. An option that the format does not support is a compiler error, or in JavaScript an error
 * during writing.
 */
export type StoreOptions = Omit<CommonStoreOptions, keyof CompressionOptions> &
  Exclusive<OwnStoreOptions, KeyOf<OwnStoreOptions>>;

/** Options for any store, while the store is not yet known. `checkStoreOptions` compares them with the format. */
export interface AnyStoreOptions extends CommonStoreOptions, AnyFormatOptions {}

const namesOfFormats: Readonly<Record<string, true>> = Object.fromEntries(
  listFormats().flatMap(({ options }) => Object.keys(options).map((name) => [name, true])),
);

function hasNames(names: Readonly<Record<string, true>>): names is { readonly [Name in FormatOptionName]: true } {
  return listFormats().every(({ options }) => Object.keys(options).every((name) => Object.hasOwn(names, name)));
}

function optionNames() {
  if (!hasNames(namesOfFormats)) throw new TypeError("options of formats without a name");
  return namesOfFormats;
}

/** The names of all stores' options. */
export const STORE_OPTIONS = {
  ...{ format: true, compression: true, level: true, matrix: true, lossy: true, shape: true, index: true },
  ...{ elements: true, sortBytes: true, onProgress: true, signal: true },
  ...optionNames(),
} as const satisfies NamesOf<StoreOptions>;
