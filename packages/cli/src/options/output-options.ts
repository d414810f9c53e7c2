/** Command line options for how outputs are written, shared by `convert`, `concat` and `split`. */

import type { AnyConvertOptions } from "annarrow/core/api";
import { outputFormats, STORE_COMPRESSIONS } from "annarrow/core/formats";
import { PARQUET_COMPRESSIONS } from "annarrow/core/parquet";
import { type Command, InvalidArgumentError } from "commander";
import { createChoiceOption } from "./choice.js";
import { addSharedFormatOptions, type FormatFlags } from "./format-options.js";

export interface OutputFlags extends FormatFlags {
  readonly to?: string;
  readonly compression?: NonNullable<AnyConvertOptions["compression"]>;
  readonly level?: number;
  readonly lossy?: boolean;
  readonly overwrite?: boolean;
  readonly safeText?: boolean;
}

/** Descriptions of options whose meaning differs between commands. */
interface OutputTexts {
  readonly to: string;
  readonly lossy: string;
  readonly overwrite: string;
}

/** Number of inputs that `convert` converts at a time by default: one is read and decoded while another is written. */
export const DEFAULT_JOBS = 2;

export const SAFE_TEXT = "in CSV and TSV: a ' before text that spreadsheets run as a formula";

/** Adds the options to a command, below the heading "Output:". */
export function addOutputOptions(command: Command, { to, lossy, overwrite }: OutputTexts): Command {
  command
    .optionsGroup("Output:")
    .addOption(createChoiceOption("--to <format>", to, outputFormats()))
    .option("--overwrite", overwrite)
    .option("--lossy", lossy)
    .addOption(
      createChoiceOption("--compression <codec>", "of Parquet or a store; keep copies chunks as they are stored", [
        ...new Set([...PARQUET_COMPRESSIONS, ...STORE_COMPRESSIONS]),
      ]),
    )
    .option("--level <number>", "of a store's compression", wholeNumber)
    .option("--safe-text", SAFE_TEXT);
  return addSharedFormatOptions(command);
}

/** The flags as options of the library. */
export function toOutputOptions({ to, ...flags }: OutputFlags): AnyConvertOptions {
  const { compression, level, lossy, overwrite, safeText, formatOptions } = flags;
  const options = { ...pickGivenOptions({ compression, level, lossy, overwrite, safeText }), ...formatOptions };
  return to === undefined ? options : { ...options, format: to };
}

/** The options that have a value. */
export function pickGivenOptions<T extends object>(options: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const present: { [K in keyof T]?: NonNullable<T[K]> } = {};
  for (const [name, value] of Object.entries(options))
    if (value !== undefined) Object.assign(present, { [name]: value });
  return present;
}

/** Collects the values of an option that may be repeated. An option with several values would also take the file. */
export const repeated = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

function wholeNumber(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}
