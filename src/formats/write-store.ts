/** Writes column tables to a store: conversion, container, target. The counterpart of `openSource`. */

import type { ContainerTarget } from "../io/targets/target.js";
import {
  isAnnarrowError,
  isCancellation,
  isNothingToWrite,
  locateError,
  UnsupportedError,
  withRemedy,
} from "../model/errors.js";
import { formatNamed } from "../model/formats/registry.js";
import { hasModalities } from "../model/modalities.js";
import { type ConvertedTables, convertTables, type NamedTables } from "./conversion/converted-tables.js";
import { fitMatrixShapes } from "./conversion/fitted-shapes.js";
import { addOriginNames } from "./conversion/names-of-origin.js";
import { removeUnsupportedTable } from "./conversion/without-unsupported.js";
import type { StoreDestination, StoreWriter, WriteResult } from "./format.js";
import { checkStoreOptions, conversions, getStoreModule } from "./formats.js";
import { getWrittenStore, type StoreFormat } from "./output.js";
import type { AnyStoreOptions } from "./store-options.js";

/** Tables that are written. */
export interface StoreInput extends NamedTables {
  /** Whether the tables are only some of a dataset's tables; false by default. */
  readonly isChosen?: boolean;
}

/**
 * Writes tables of any format to `target` and commits it, or leaves nothing behind. For tables of an opened dataset,
 * the names of rows and columns are taken from the dataset.
 * @throws {InvalidInputError} for options that the format does not support, for tables that do not fit together, and
 * for elements that the format cannot store, unless losses are allowed.
 */
export async function writeStore(
  given: StoreInput,
  wanted: StoreFormat,
  target: ContainerTarget,
  options: AnyStoreOptions = {},
): Promise<WriteResult> {
  const { signal, index = {}, obsNames, varNames, elements, lossy = false } = options;
  const store = storeFor(wanted, given, options.as);
  const { format: to } = getWrittenStore(store);
  const { write } = getStoreModule(store);
  let place = target;
  try {
    signal?.throwIfAborted();
    checkStoreOptions(store, options);
    const shape = options.shape ?? given.shape;
    const names = { obs: obsNames ?? null, var: varNames ?? null };
    const beside = given.isChosen === true && formatNamed(to).hasBothFrames === true;
    const how = { index, names, beside, conversions, signal };
    const named = elements === undefined ? await addOriginNames(given, to, how) : given;
    const fitted = await fitMatrixShapes(named, to, options.shape ?? null, conversions, signal);
    const converted = await convertTables({ ...named, shape, tables: fitted.tables }, to, options, conversions);
    const warnings = [...(target.warnings ?? []), ...fitted.warnings, ...converted.warnings];
    if (write === null) throw new UnsupportedError(`no ${to} is written`);
    let refused: unknown;
    for (let { tables } = converted; ; ) {
      try {
        const result = await written(write, { store, target: place }, { ...converted, tables }, options);
        return { ...result, warnings: [...warnings, ...result.warnings] };
      } catch (error) {
        // If nothing is left to write, the first refusal is the reason.
        if (refused !== undefined && isNothingToWrite(error)) throw refused;
        refused ??= error;
        const rest = signal?.aborted ? null : removeUnsupportedTable(tables, error, index);
        if (rest === null || place.anew === undefined) throw error;
        if (!lossy) throw withLoss(error);
        // Most containers cannot remove a half-written element, so all other elements are written again.
        place = await place.anew();
        ({ tables } = rest);
        warnings.push(rest.warning);
      }
    }
  } catch (error) {
    await place.abort();
    if (signal?.aborted === true && !isCancellation(error)) throw signal.reason;
    throw locateError(error, { source: target.name });
  }
}

/**
 * Returns the refusal with a hint at the option that omits what was refused, unless the message already mentions it.
 */
function withLoss(error: unknown): unknown {
  if (!isAnnarrowError(error) || error.problem.includes("--lossy")) return error;
  return withRemedy(error, "allow losses (--lossy) to leave it out");
}

async function written(
  write: StoreWriter<AnyStoreOptions>,
  { store, target }: Omit<StoreDestination, "encoder">,
  tables: ConvertedTables,
  options: AnyStoreOptions,
): Promise<WriteResult> {
  const { signal } = options;
  const { createChunkEncoder } = await import("../jobs/workers/chunk-encoder.js");
  const encoder = createChunkEncoder(signal);
  try {
    const result = await write({ store, target, encoder }, tables, options);
    signal?.throwIfAborted();
    await target.commit();
    return result;
  } finally {
    encoder.close();
  }
}

/** Returns the store for the tables: in Zarr, their names determine whether it is AnnData, MuData or generic arrays. */
function storeFor(wanted: StoreFormat, { format, tables }: NamedTables, as: string | undefined): StoreFormat {
  if (wanted !== "zarr" && wanted !== "zarr.zip") return wanted;
  if (format === "hdf5" || format === "zarr") return `plain.${wanted}`;
  const isMuData =
    as !== undefined ||
    hasModalities(format, tables.keys()) ||
    (format === "tables" && [...tables.keys()].some((name) => name.startsWith("mod/")));
  return isMuData ? `mudata.${wanted}` : wanted;
}
