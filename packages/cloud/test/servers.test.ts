/** Object stores against servers that others have written. */

import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { openStored } from "../../../src/api/open.node.js";
import { ConditionError } from "../../../src/io/schemes/remote-output.js";
import { open, removeCompanion, split, write, writeCompanion } from "../../published/src/node.js";
import { openCloudSource } from "../src/cloud-source.js";
import { parseAddress } from "../src/objects/address.js";
import type { CloudStore, CloudWriter } from "../src/objects/cloud-store.js";
import { openCloudStore } from "../src/open-cloud-store.js";
import { realServers } from "./real-servers.js";

const bytesOf = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 7) % 251);

describe.each(realServers)("$name", ({ name, endpoint, options, root, begin }) => {
  async function opened(): Promise<CloudStore & { readonly writer: CloudWriter }> {
    const store = await openCloudStore(parseAddress(`${root}/`), options);
    if (store.writer === null) throw new Error("the store can be written");
    return {
      ...store,
      name: store.name,
      writer: store.writer,
      url: (key) => store.url(key),
      list: (...a) => store.list(...a),
    };
  }

  beforeAll(begin);

  async function bytesAt(key: string): Promise<Uint8Array> {
    const source = await openCloudSource(`${root}/${key}`, options);
    if (source.kind !== "bytes") throw new Error("a file was expected");
    return source.read(0, source.size);
  }

  test.skipIf(endpoint === "")("objects are written, read, listed and removed", { timeout: 60_000 }, async () => {
    const { writer, list } = await opened();
    const keys = ["w/a b+c.h5ad", "w/50%25.h5ad", "w/ü/日本.h5ad", "w/it's (1).h5ad"];
    for (const [at, key] of keys.entries()) await writer.put(key, bytesOf(100_000 + at));
    for (const [at, key] of keys.entries()) {
      expect(Buffer.compare(await bytesAt(key), bytesOf(100_000 + at))).toBe(0);
    }
    const found: string[] = [];
    for await (const { objects, folders } of list("w/", { folders: true })) {
      found.push(...objects.map(({ key }) => key), ...folders);
    }
    expect(found.sort()).toEqual(["w/50%25.h5ad", "w/a b+c.h5ad", "w/it's (1).h5ad", "w/ü/"]);
    const folder = await openCloudSource(`${root}/w/`, options);
    expect(folder.kind === "keys" && (await folder.get("ü/日本.h5ad"))?.length).toBe(100_002);
    for (const key of keys) await writer.delete(key);
    await expect(bytesAt(keys[0])).rejects.toMatchObject({ tag: "NotFoundError" });
  });

  test.skipIf(endpoint === "")("an object in parts appears at its end alone", { timeout: 60_000 }, async () => {
    const { writer } = await opened();
    const upload = await writer.upload("parts.h5ad");
    const [first, second] = [upload.partBytes(0), upload.partBytes(1)];
    const whole = bytesOf(first + second + 5);
    await upload.part(0, whole.slice(0, first));
    await expect(bytesAt("parts.h5ad")).rejects.toMatchObject({ tag: "NotFoundError" });
    await upload.part(1, whole.slice(first, first + second));
    await upload.complete(whole.slice(first + second));
    expect(Buffer.compare(await bytesAt("parts.h5ad"), whole)).toBe(0);
    await writer.delete("parts.h5ad");
    const given = await writer.upload("given-up.h5ad");
    await given.part(0, whole.slice(0, first));
    await given.abort();
    await expect(bytesAt("given-up.h5ad")).rejects.toMatchObject({ tag: "NotFoundError" });
  });

  test.skipIf(endpoint === "")("outputs of every kind are written and read", { timeout: 120_000 }, async () => {
    const { writer, list } = await opened();
    const data = await open("examples/pbmc.h5ad");
    const obs = (await data.table("obs").read()).toString();
    const wanted = { cloud: options, overwrite: true };
    // The store at the end is replaced.
    for (const name of ["o.h5ad", "o.zarr", "o.zarr.zip", "o", "o.zarr"]) {
      const format = name === "o" ? ({ format: "parquet" } as const) : {};
      const output = `${root}/out/${name}`;
      await write(output, data, { ...wanted, ...format });
      await expect(write(output, data, { cloud: options, ...format })).rejects.toThrow("exists already");
      const copy = await open(output, { cloud: options });
      expect(copy.shape).toEqual(data.shape);
      expect((await copy.table("obs").read()).toString()).toBe(obs);
      await copy.close();
    }
    await split(data, `${root}/out/parts`, { ...wanted, rows: 1000, tables: ["obs", "var"] });
    await data.close();
    const keys: string[] = [];
    for await (const { objects } of list("out/")) keys.push(...objects.map(({ key }) => key));
    const parts = ["part-1.h5ad", "part-2.h5ad", "part-3.h5ad", "split.json"].map((name) => `out/parts/${name}`);
    expect(keys.filter((key) => key.startsWith("out/parts/")).sort()).toEqual(parts);
    await Promise.all(keys.map((key) => writer.delete(key)));
  });

  test.skipIf(endpoint === "")("a companion beside an object is written, used and removed", async () => {
    const { writer, list } = await opened();
    const url = `${root}/genes/pbmc.h5ad`;
    await writer.put("genes/pbmc.h5ad", new Uint8Array(readFileSync("examples/pbmc.h5ad")));
    const wanted = { cloud: options, beside: true };
    expect(await writeCompanion(url, wanted)).toMatchObject({ path: `${url}.annarrow`, written: true });
    expect(await writeCompanion(url, wanted)).toMatchObject({ written: false });
    const data = await openStored(url, { cloud: options, whole: true });
    expect(await data.companion?.state()).toMatchObject({ name: `${url}.annarrow/`, problem: null });
    const values = await data.gene("SIMG0000005");
    await data.close();
    const local = await open("examples/pbmc.h5ad", { companion: "off" });
    expect(values).toEqual(await local.gene("SIMG0000005"));
    await local.close();
    expect(await removeCompanion(url, { cloud: options })).toEqual([`${url}.annarrow`]);
    const keys: string[] = [];
    for await (const { objects } of list("genes/")) keys.push(...objects.map(({ key }) => key));
    expect(keys).toEqual(["genes/pbmc.h5ad"]);
    await writer.delete("genes/pbmc.h5ad");
  });

  // rclone knows no conditions.
  test.skipIf(endpoint === "" || name === "rclone")("a condition decides", { timeout: 60_000 }, async () => {
    const { writer } = await opened();
    await writer.delete("manifest.json");
    const version = await writer.put("manifest.json", bytesOf(3), { ifAbsent: true });
    await expect(writer.put("manifest.json", bytesOf(4), { ifAbsent: true })).rejects.toBeInstanceOf(ConditionError);
    const next = await writer.put("manifest.json", bytesOf(5), { ifVersion: version });
    expect(next).not.toBe(version);
    await expect(writer.put("manifest.json", bytesOf(6), { ifVersion: version })).rejects.toBeInstanceOf(
      ConditionError,
    );
    expect(await bytesAt("manifest.json")).toHaveLength(5);
    await writer.delete("manifest.json");
  });
});
