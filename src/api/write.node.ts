/** `write` with paths. */

import type { WriteResult } from "../formats/format.js";
import { writeFragmentsText } from "../formats/fragments.js";
import { parseOutput } from "../formats/output.js";
import { STORE_OPTIONS, type StoreOptions } from "../formats/store-options.js";
import type { WritableStore } from "../io/targets/store.js";
import { InvalidInputError, locateError } from "../model/errors.js";
import { checkOptions, type NamesOf } from "../model/option-names.js";
import {
  type AnyConvertOptions,
  CONVERT_OPTIONS,
  OUTPUT_OPTIONS,
  type OutputLocationOptions,
  type OutputOptions,
} from "./convert.js";
import { convertTo, createTableTarget, getTargetOptions, storeTarget } from "./convert.node.js";
import { storeOptions } from "./convert-to-store.js";
import { refuseOverlap } from "./overlap.node.js";
import { isDataset, toNamedColumnTables, type WriteInput, withInput, writeTo, writeToKeys } from "./write.js";

export type WriteOptions = OutputOptions &
  OutputLocationOptions & {
    /** Column of `obs` by which a dataset's observations are sorted, as in `convert`. */
    readonly sortObs?: string;
  };

const WRITE_OPTIONS = OUTPUT_OPTIONS satisfies NamesOf<WriteOptions>;

/**
 * Writes a dataset, or tables by element name, to `output`: the path of an `.h5ad`, `.zarr`, `.zarr.zip`, `.h5mu`,
 * `.loom`, `.mat` or `.bpcells`, locally or at `s3://`, `gs://`, `az://`, or a key-value store: a `Map` or a zarrita
 * store. The output is written completely or not at all. The conversion of tables to elements is specified in
 * `docs/mapping.md`, section 9.
 * @param data `X` has a row for each entry (`row`, `col`, `value`) or one list for each observation, `obs` has a row
 * for each observation, and `var` has a row for each variable.
 * @returns the written tables and their numbers of rows, and warnings.
 * @example
 * ```ts
 * await write("out.h5ad", { X: counts, obs: cells, var: genes });
 * ```
 * @throws {InvalidInputError} if the tables do not fit together, if the output exists and `overwrite` is not given, or
 * if it is inside an open input or contains one. The file or folder that is being read may itself be replaced. It must
 * then be reopened.
 * @throws {UnsupportedError} for elements that the format cannot store.
 */
export async function write(
  output: string,
  data: WriteInput | Promise<WriteInput>,
  options?: WriteOptions,
): Promise<WriteResult>;
export async function write(
  output: Map<string, Uint8Array> | WritableStore,
  data: WriteInput | Promise<WriteInput>,
  options?: StoreOptions,
): Promise<WriteResult>;
export async function write(
  output: string | Map<string, Uint8Array> | WritableStore,
  data: WriteInput | Promise<WriteInput>,
  options: AnyConvertOptions = {},
): Promise<WriteResult> {
  checkOptions(options, "write", typeof output === "string" ? CONVERT_OPTIONS : STORE_OPTIONS);
  return withInput(data, (input) =>
    typeof output === "string" ? writeToPath(output, input, options) : writeToKeys(output, input, options),
  );
}

/** Writes to a path with options for any format, and checks them against the output format. */
export async function writeToPath(output: string, data: WriteInput, options: AnyConvertOptions): Promise<WriteResult> {
  if (isDataset(data)) return convertTo(data, output, options);
  checkOptions(options, "write of named tables", WRITE_OPTIONS);
  const { format, sortObs, ...rest } = options;
  if (sortObs !== undefined) throw new InvalidInputError("rows of a dataset are sorted, not of named tables");
  const form = parseOutput(output, format);
  if (form.kind !== "store" && form.kind !== "fragments") {
    throw new InvalidInputError(
      "named tables are written as .h5ad, .zarr, .zarr.zip, .loom or .bpcells; parquetFile writes one alone",
      {
        source: output,
      },
    );
  }
  if (output !== "-") await refuseOverlap(output);
  const own = storeOptions(rest);
  if (form.kind === "store") {
    return writeTo(await storeTarget(form.format, output, getTargetOptions(options)), form.format, data, own);
  }
  const target = await createTableTarget(form, output, getTargetOptions(options));
  try {
    const result = await writeFragmentsText(await toNamedColumnTables(data), form.gzip, target, own);
    await target.commit();
    return { ...result, warnings: [...(target.warnings ?? []), ...result.warnings] };
  } catch (error) {
    await target.abort();
    throw locateError(error, { source: output });
  }
}
