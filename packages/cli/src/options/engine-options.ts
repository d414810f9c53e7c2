/** Flags that choose the DuckDB engine (native or wasm) and its memory limit. */

import type { EngineOptions } from "annarrow/node/query";
import { type Command, InvalidArgumentError } from "commander";
import { createChoiceOption } from "./choice.js";

export type EngineFlags = EngineOptions;

/** Memory limit of DuckDB's tables in `annarrow view` unless specified otherwise. */
export const VIEW_MEMORY = "256MiB";

/**
 * Adds `--engine`, `--memory`, `--temp-size` and `--max-cell`.
 * @param memory default of `--memory`.
 */
export function addEngineOptions(command: Command, memory = "512MiB"): Command {
  return command
    .optionsGroup("DuckDB:")
    .addOption(
      createChoiceOption(
        "--engine <engine>",
        "auto (default): native where the package @duckdb/node-api is installed, else wasm",
        ["auto", "native", "wasm"],
      ),
    )
    .option(
      "--memory <size>",
      `of tables, and of native DuckDB itself, beyond which temporary files are used (default: ${memory})`,
      parseByteSize,
    )
    .option(
      "--temp-size <size>",
      "most bytes of temporary files, as 20GiB (default: what the disk has room for)",
      parseByteSize,
    )
    .option("--max-cell <size>", "most bytes of a value and of a row of an answer (default: 64MiB)", parseByteSize);
}

const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
};

/** Parses `512MiB`, `2 GB`, `1000000`. */
export function parseByteSize(text: string): number {
  const found = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text);
  const unit = UNITS[found?.[2].toLowerCase() ?? "-"];
  const size = found === null || unit === undefined ? 0 : Math.floor(Number(found[1]) * unit);
  if (size > 0 && Number.isSafeInteger(size)) return size;
  throw new InvalidArgumentError("It must be a number of bytes, as 512MiB or 2GB.");
}

/** Parses a port number; 0 means any free port. */
export function parsePort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65536) return Number(text);
  throw new InvalidArgumentError("It must be a number from 0 to 65535.");
}
