/** The options of every store: a union by format, so that the compiler refuses an option that the format has not. */

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

/** Options by the stores that have them. */
export type OwnStoreOptions = { [Store in StoreFormat]: OptionsOf<Store> }[StoreFormat];

/** Each member of a union, without the properties that only other members have. */
export type Exclusive<T, Keys extends PropertyKey> = T extends unknown
  ? T & { readonly [Other in Exclude<Keys, keyof T>]?: never }
  : never;

/**
 * How a store is written: `{ format: "zarr", zarrFormat: 3 }`, `{ version: "2.0.1" }` of a Loom. The name of a file says
 * its format; an option that the format has not is an error of the compiler, or, from JavaScript, when it is written.
 */
export type StoreOptions = Omit<CommonStoreOptions, keyof CompressionOptions> &
  Exclusive<OwnStoreOptions, KeyOf<OwnStoreOptions>>;

/** Options of any store, before the store is known: `checkStoreOptions` compares them with its format. */
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

/** The names of the options of all stores. */
export const STORE_OPTIONS = {
  ...{ format: true, compression: true, level: true, matrix: true, lossy: true, shape: true, index: true },
  ...{ elements: true, sortBytes: true, onProgress: true, signal: true },
  ...optionNames(),
} as const satisfies NamesOf<StoreOptions>;
