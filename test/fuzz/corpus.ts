/** The small real files that are mutated. */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { createBytesSource } from "../../src/io/sources/memory.js";
import { zipSource } from "../../src/io/sources/zip.js";
import { readZipDirectory } from "../../src/io/sources/zip-directory.js";

export type FuzzFile =
  /** `datasets` where its tables are read, too. */
  | {
      readonly kind: "hdf5" | "zip" | "rds" | "table";
      readonly name: string;
      readonly bytes: Uint8Array;
      readonly datasets: boolean;
    }
  | {
      readonly kind: "store";
      readonly name: string;
      readonly values: ReadonlyMap<string, Uint8Array>;
      readonly datasets: boolean;
    };

const NAMES = /\.(h5|h5ad|h5mu|loom|mat|zip|h5\.gz|rds|parquet|arrows?)$/;

const FOLDERS = ["test/fixtures/data", "examples"];

/** What a mutation is counted under. */
export type FuzzFormat = "HDF5" | "zip" | "Zarr" | "BPCells" | "R" | "Parquet" | "Arrow";

export interface FuzzEntry {
  readonly name: string;
  readonly format: FuzzFormat;
  readonly size: number;
  /** Its share of all mutations. */
  readonly weight: number;
}

/**
 * `store:` in front of the name of a zip or a folder: its values are mutated, not the archive; `inflated:` in front of
 * an R object: what was compressed.
 */
export function fuzzFiles(): FuzzEntry[] {
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  const isStore = (path: string) => statSync(path).isDirectory() && existsSync(join(path, "version"));
  return (
    paths
      .filter((path) => NAMES.test(path) || isStore(path))
      // These take all that is allowed already.
      .filter((path) => !path.includes("hostile"))
      .sort()
      .flatMap((path): FuzzEntry[] => {
        const { size } = statSync(path);
        if (isStore(path)) return [{ name: `store:${path}`, format: "BPCells", size, weight: 1 / 20_000 }];
        // Small files are fast to read, and nearly every byte of them counts.
        const weight = 1 / (20_000 + size);
        if (path.endsWith(".zip")) {
          return [
            { name: path, format: "zip", size, weight: weight / 2 },
            { name: `store:${path}`, format: "Zarr", size, weight: 4 * weight },
          ];
        }
        if (path.endsWith(".rds")) {
          const plain: FuzzEntry = { name: path, format: "R", size, weight: weight / 8 };
          const isGzip = readFileSync(path)[0] === 0x1f;
          return isGzip ? [plain, { ...plain, name: `inflated:${path}`, weight: weight / 3 }] : [plain];
        }
        if (path.endsWith(".parquet")) return [{ name: path, format: "Parquet", size, weight: 8 * weight }];
        if (/\.arrows?$/.test(path)) return [{ name: path, format: "Arrow", size, weight: 2 * weight }];
        return [{ name: path, format: "HDF5", size, weight }];
      })
  );
}

export async function readFuzzFile(name: string): Promise<FuzzFile> {
  const path = name.replace(/^(store|inflated):/, "");
  if (statSync(path).isDirectory()) return { kind: "store", name, values: filesIn(path), datasets: true };
  const read = new Uint8Array(readFileSync(path));
  const bytes = path.endsWith(".gz") || name.startsWith("inflated:") ? new Uint8Array(gunzipSync(read)) : read;
  const datasets = !/data\/(hdf5|zarr)\//.test(path.replaceAll("\\", "/"));
  if (path.endsWith(".rds")) return { kind: "rds", name, bytes, datasets };
  if (/\.(parquet|arrows?)$/.test(path)) return { kind: "table", name, bytes, datasets: true };
  if (!path.endsWith(".zip")) return { kind: "hdf5", name, bytes, datasets };
  if (path === name) return { kind: "zip", name, bytes, datasets };
  return { kind: "store", name, values: await unzipped(bytes), datasets };
}

function filesIn(folder: string): Map<string, Uint8Array> {
  return new Map(readdirSync(folder).map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]));
}

async function unzipped(bytes: Uint8Array): Promise<Map<string, Uint8Array>> {
  const source = createBytesSource(bytes);
  const store = await zipSource(source);
  const values = new Map<string, Uint8Array>();
  for (const { name } of await readZipDirectory(source)) {
    const value = await store.get(name);
    // As a whole, so that positions in it are those of the value.
    if (value !== undefined) values.set(name, value.slice());
  }
  return values;
}
