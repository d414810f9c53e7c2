/** The small real files that are mutated. */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { bytesSource } from "../../src/sources/memory.js";
import { zipSource } from "../../src/sources/zip.js";
import { readZipDirectory } from "../../src/sources/zip-directory.js";

export type FuzzFile =
  /** `datasets` where its tables are read, too. */
  | {
      readonly kind: "hdf5" | "zip" | "rds";
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

const FOLDERS = ["test/fixtures/data", "examples"];

/** `store:` in front of the name of a zip or a folder: its values are mutated, not the archive. */
export function fuzzFiles(): { readonly name: string; readonly size: number; readonly weight: number }[] {
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  const isStore = (path: string) => statSync(path).isDirectory() && existsSync(join(path, "version"));
  return paths
    .filter((path) => /\.(h5|h5ad|h5mu|loom|mat|zip|h5\.gz|rds)$/.test(path) || isStore(path))
    .sort()
    .flatMap((path) => {
      const { size } = statSync(path);
      if (isStore(path)) return [{ name: `store:${path}`, size, weight: 1 / 20_000 }];
      // Small files are fast to read, and nearly every byte of them counts.
      const weight = 1 / (20_000 + size);
      return path.endsWith(".zip")
        ? [
            { name: path, size, weight: weight / 2 },
            { name: `store:${path}`, size, weight: 2 * weight },
          ]
        : [{ name: path, size, weight }];
    });
}

export async function readFuzzFile(name: string): Promise<FuzzFile> {
  const path = name.replace(/^store:/, "");
  if (statSync(path).isDirectory()) return { kind: "store", name, values: filesIn(path), datasets: true };
  const read = new Uint8Array(readFileSync(path));
  const bytes = path.endsWith(".gz") ? new Uint8Array(gunzipSync(read)) : read;
  const datasets = !/data\/(hdf5|zarr)\//.test(path.replaceAll("\\", "/"));
  if (path.endsWith(".rds")) return { kind: "rds", name, bytes, datasets };
  if (!path.endsWith(".zip")) return { kind: "hdf5", name, bytes, datasets };
  if (path === name) return { kind: "zip", name, bytes, datasets };
  return { kind: "store", name, values: await unzipped(bytes), datasets };
}

function filesIn(folder: string): Map<string, Uint8Array> {
  return new Map(readdirSync(folder).map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]));
}

async function unzipped(bytes: Uint8Array): Promise<Map<string, Uint8Array>> {
  const source = bytesSource(bytes);
  const store = await zipSource(source);
  const values = new Map<string, Uint8Array>();
  for (const { name } of await readZipDirectory(source)) {
    const value = await store.get(name);
    // As a whole, so that positions in it are those of the value.
    if (value !== undefined) values.set(name, value.slice());
  }
  return values;
}
