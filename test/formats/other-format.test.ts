/** A format that another package brings: a study in HDF5, with an AnnData in a group and the dates of its visits beside it. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { convert, open } from "../../packages/published/src/node.js";
import {
  CELLS_BY_GENES,
  choice,
  createArrayTable,
  createStore,
  createTextAttribute,
  defineFormat,
  describeFormat,
  GZIP_OR_NONE,
  openChild,
  readElements,
  registerFormat,
  writeElements,
} from "../../src/format.js";
import { parseOutput } from "../../src/formats/output.js";
import { InvalidDataError } from "../../src/model/errors.js";
import { getInputStem } from "../../src/model/input-name.js";

const study = describeFormat({
  name: "study",
  title: "Study",
  stores: { "study.h5": { kind: "file", compressions: GZIP_OR_NONE } },
  options: {
    /** What the visits are called. */
    visits: choice(["days", "weeks"], "a unit of visits", { flag: "--visits <unit>", help: "days (default) or weeks" }),
  },
  axes: CELLS_BY_GENES,
  tableNames: "anndata",
});

declare module "../../src/model/formats/extend.js" {
  interface OtherFormats {
    study: typeof study;
  }
}

const FLOAT64 = { kind: "float", bits: 64 } as const;

const format = defineFormat({
  ...study,
  detect: { names: ({ root }) => root.attributes.has("study-unit") },
  async read(root, cx) {
    const visits = await openChild(root, "visits", cx);
    if (visits.kind !== "array") throw new InvalidDataError("no array", { element: "visits" });
    const others = new Map([
      [
        "uns/visits",
        createArrayTable(visits, { kind: "array", shape: visits.shape ?? [], unit: root.attributes.get("study-unit") }),
      ],
    ]);
    return readElements(await openChild(root, "cells", cx), cx, others);
  },
  async write(place, { tables }, options) {
    const { visits: unit = "days" } = options;
    const container = await createStore(place, options);
    const one = { type: FLOAT64, shape: [1] as const };
    container.root.attribute("study-unit", createTextAttribute(unit));
    const visits = await container.root.array("visits", one);
    await visits.write({ kind: "fixed", values: Float64Array.of(7) }, 1);
    await visits.close();
    const cells = await container.root.group("cells");
    const result = await writeElements(container, cells, tables, options);
    await container.close();
    return result;
  },
});

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "annarrow-study-"));
  registerFormat(format);
});
afterAll(() => rmSync(folder, { recursive: true }));

test("is written by the end of its name, and opened as what it is", async () => {
  const path = join(folder, "a.study.h5");
  const result = await convert("examples/pbmc.h5ad", path, { visits: "weeks" });
  expect(result.tables.map(({ name }) => name)).toContain("obs");
  const [read, given] = await Promise.all([open(path), open("examples/pbmc.h5ad")]);
  expect([read.format, read.container, read.shape]).toEqual(["study", "hdf5", given.shape]);
  expect([...read.tables.keys()].filter((name) => name !== "uns/visits").toSorted()).toEqual(
    [...given.tables.keys()].toSorted(),
  );
  const [own, original] = await Promise.all([read.table("obs").read(), given.table("obs").read()]);
  expect(own.toArray().map(String)).toEqual(original.toArray().map(String));
  const visits = await read.table("uns/visits").read();
  expect(visits.getChild("value")?.toArray()).toEqual(Float64Array.of(7));
  expect(read.table("uns/visits").metadata).toMatchObject({ unit: "weeks" });
  await Promise.all([read.close(), given.close()]);
});

test("becomes another format, with the names of AnnData", async () => {
  const [path, back] = [join(folder, "b.study.h5"), join(folder, "b.loom")];
  await convert("examples/pbmc.h5ad", path);
  await convert(path, back, { lossy: true });
  const [loom, given] = await Promise.all([open(back), open("examples/pbmc.h5ad")]);
  expect([loom.format, loom.shape]).toEqual(["loom", given.shape === null ? null : given.shape.toReversed()]);
  await Promise.all([loom.close(), given.close()]);
});

test("has its options checked as those of other formats", async () => {
  const out = (name: string) => join(folder, name);
  await expect(convert("examples/pbmc.h5ad", out("c.h5ad"), JSON.parse('{"visits":"days"}'))).rejects.toThrow(
    ".h5ad has no choice of a unit of visits (--visits)",
  );
  await expect(convert("examples/pbmc.h5ad", out("c.study.h5"), JSON.parse('{"visits":"years"}'))).rejects.toThrow(
    '.study.h5 has no visits "years"; there are days, weeks',
  );
  await expect(convert("examples/pbmc.h5ad", out("c.study.h5"), JSON.parse('{"visit":"days"}'))).rejects.toThrow(
    /convert has no option visit; did you mean/,
  );
});

test("is known by its names to all that ask for them", () => {
  expect(parseOutput("x.study.h5")).toEqual({ kind: "store", format: "study.h5" });
  expect(parseOutput("out", "study.h5")).toEqual({ kind: "store", format: "study.h5" });
  expect(getInputStem("runs/x.study.h5")).toBe("x");
});

test("has names that no other format has", () => {
  expect(() => registerFormat(format)).toThrow("there is a format study already");
});
