/**
 * A process that writes, to be killed or to run out of room:
 * `node writer.mjs file|directory|zip|tables PLACE MEBIBYTES VALUE`. What it writes depends on its arguments alone.
 */

import { createDirectoryTarget } from "../../../src/io/targets/directory.node.js";
import { createFileTarget } from "../../../src/io/targets/file.node.js";
import type { KeyValueTarget } from "../../../src/io/targets/target.js";
import { zipTarget } from "../../../src/io/targets/zip.js";

const MIB = 1 << 20;
const CHUNK = 20_000;
const overwrite = { overwrite: true };

const [kind = "", place = "", size = "1", value = "1"] = process.argv.slice(2);
const total = Number(size) * MIB;

async function writeFile(): Promise<void> {
  const target = await createFileTarget(place, overwrite);
  try {
    const memory = new Uint8Array(MIB);
    for (let at = MIB; at <= total; at += MIB) {
      await target.write(at, memory.fill(Number(value)));
      await target.write(at, new TextEncoder().encode(`row ${at}`));
    }
    // As a superblock, which says where everything is.
    await target.write(0, new TextEncoder().encode(`complete ${value}`));
    await target.commit();
  } catch (error) {
    await target.abort();
    throw error;
  }
}

async function writeKeys(target: KeyValueTarget): Promise<void> {
  const text = (key: string) => target.set(key, new TextEncoder().encode(`{"value": ${value}}`));
  try {
    await text("zarr.json");
    await text("X/zarr.json");
    const chunk = new Uint8Array(CHUNK).fill(Number(value));
    for (let i = 0; i * CHUNK < total; i++) await target.set(`X/c/${i % 30}/${i}`, chunk);
    // Without it the chunk would belong to no array, and the next run would not replace the folder.
    await text("obs/zarr.json");
    await target.set("obs/c/0", new Uint8Array(MIB).fill(Number(value)));
    await target.commit();
  } catch (error) {
    await target.abort();
    throw error;
  }
}

async function writeTables(): Promise<void> {
  const target = await createDirectoryTarget(place, overwrite);
  try {
    const chunks = async function* (length: number) {
      for (let at = 0; at < length; at += MIB) yield new Uint8Array(MIB).fill(Number(value));
    };
    await target.write("X.parquet", chunks(total));
    await target.write("obs/a.parquet", chunks(MIB));
    const tables = ["X.parquet", "obs/a.parquet"].map((file) => ({ name: file, file }));
    const manifest = new TextEncoder().encode(JSON.stringify({ annarrow: 1, tables }));
    await target.write(
      "manifest.json",
      (async function* () {
        yield manifest;
      })(),
    );
    await target.commit();
  } catch (error) {
    await target.abort();
    throw error;
  }
}

const write: Record<string, () => Promise<void>> = {
  file: writeFile,
  tables: writeTables,
  directory: async () => writeKeys(await createDirectoryTarget(place, overwrite)),
  zip: async () => writeKeys(zipTarget(await createFileTarget(place, overwrite))),
};

try {
  await write[kind]();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? `${error.name}: ${error.message}` : error}\n`);
  process.exitCode = 1;
}
