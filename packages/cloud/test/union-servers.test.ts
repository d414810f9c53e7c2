/** Unions in object stores, against servers that others have written. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { NumberArray } from "../../../src/model/stored.js";
import { expandInputs } from "../../cli/src/files/file-pattern.js";
import {
  cleanUnion,
  commitUnion,
  open,
  planUnion,
  removeFromUnion,
  runUnionTask,
  split,
  union,
} from "../../published/src/node.js";
import { parseAddress } from "../src/objects/address.js";
import { openCloudStore } from "../src/open-cloud-store.js";
import { realServers } from "./real-servers.js";

describe.each(realServers)("$name", ({ name, endpoint, options: cloud, root, begin }) => {
  beforeAll(begin);

  const keysBelow = async (prefix: string) => {
    const store = await openCloudStore(parseAddress(`${root}/`), cloud);
    const keys: string[] = [];
    for await (const { objects } of store.list(prefix)) keys.push(...objects.map(({ key }) => key));
    return keys.sort();
  };

  // rclone knows no conditions.
  test.skipIf(endpoint === "" || name === "rclone")(
    "a union of objects is planned, made, opened, extended and cleaned",
    { timeout: 120_000 },
    async () => {
      const store = await openCloudStore(parseAddress(`${root}/`), cloud);
      for (const key of await keysBelow("census/")) await store.writer?.delete(key);
      const pbmc = await open("examples/pbmc.h5ad");
      const wanted = { cloud, overwrite: true, by: "donor" } as const;
      await split(pbmc, `${root}/census/in/study-1`, wanted);
      const names = (await pbmc.obsNames()) ?? [];
      const gene = await pbmc.gene("SIMG0000005");
      await pbmc.close();
      const { paths } = await expandInputs([`${root}/census/in/study-*/*.h5ad`], { cloud });
      expect(paths.length).toBeGreaterThan(2);

      // The same union on the disk, whose values test/interop/test_union.py compares with anndata's.
      const disk = mkdtempSync(join(tmpdir(), "annarrow-union-servers-"));
      onTestFinished(() => rmSync(disk, { recursive: true }));
      await union(paths, join(disk, "atlas"), { cloud });
      const local = await open(join(disk, "atlas"));

      const atlas = `${root}/census/atlas/`;
      const plan = await planUnion(paths.slice(0, -1), atlas, { cloud, tasks: 3 });
      for (const task of [...plan.tasks.keys(), 0].reverse()) await runUnionTask(plan, task, { cloud });
      await expect(open(atlas, { cloud })).rejects.toMatchObject({ tag: "NotFoundError" });
      await commitUnion(plan, { cloud });
      expect((await commitUnion(plan, { cloud })).datasets).toBe(paths.length - 1);

      // Two additions to one commit: one wins.
      const rivals = await Promise.all(
        ["one", "two"].map((id) => planUnion(paths.slice(-1), atlas, { cloud, ids: [id] })),
      );
      await Promise.all(rivals.map((rival) => runUnionTask(rival, 0, { cloud })));
      const commits = await Promise.allSettled(rivals.map((rival) => commitUnion(rival, { cloud })));
      expect(commits.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      expect(commits.find(({ status }) => status === "rejected")).toMatchObject({
        reason: { tag: "InvalidInputError", message: expect.stringMatching(/plan again/) },
      });

      const all = await open(atlas, { cloud });
      expect(all.shape).toEqual(local.shape);
      expect(await all.obsNames()).toEqual(await local.obsNames());
      expect([...((await all.obsNames()) ?? [])].sort()).toEqual([...names].sort());
      expect(await all.gene("SIMG0000005")).toEqual(await local.gene("SIMG0000005"));
      const sum = (values: NumberArray) => Array.from(values, Number).reduce((total, value) => total + value, 0);
      expect(sum(await all.gene("SIMG0000005"))).toBe(sum(gene));
      await all.close();
      await local.close();

      const won = commits[0].status === "fulfilled" ? "one" : "two";
      const { datasets } = await removeFromUnion(atlas, [won], { cloud });
      expect(datasets).toBe(paths.length - 1);
      await expect(union(paths.slice(-1), atlas, { cloud })).rejects.toThrow(/a union is there already/);
      await union(paths.slice(-1), atlas, { cloud, add: true });
      const removed = await cleanUnion(atlas, { cloud });
      expect(removed.filter((path) => path.startsWith(`X/${won}/`))).toHaveLength(1);
      const again = await open(atlas, { cloud });
      expect(again.shape?.[0]).toBe(names.length);
      const left = (await keysBelow("census/atlas/")).map((key) => key.slice("census/atlas/".length));
      expect(left.filter((path) => path.startsWith("tasks/"))).toEqual([]);
      expect(left).toContain("manifest.json");
      await again.close();
    },
  );
});
