/** A container that another package brings: a name and a number in text. */

import { beforeAll, expect, test } from "vitest";
import { findContainer, getContainerTitle } from "../../../src/containers/open/containers.js";
import { openContainer } from "../../../src/containers/open/open-container.js";
import { type FileContainer, registerContainer } from "../../../src/format.js";
import { createBytesSource } from "../../../src/io/sources/memory.js";
import { NotFoundError, UnsupportedError } from "../../../src/model/errors.js";

declare module "../../../src/model/formats/extend.js" {
  interface OtherContainers {
    pair: true;
  }
}

const MAGIC = "a pair of other-container.test.ts:";
const source = (text: string) => createBytesSource(new TextEncoder().encode(text));

const container: FileContainer = {
  ...{ source: "bytes", kinds: { pair: "a pair" }, what: "a pair", hasExternalValues: true },
  async detect(file, options) {
    const head = await file.read(0, Math.min(MAGIC.length, file.size), options);
    return new TextDecoder().decode(head) === MAGIC;
  },
  async open(file, options) {
    const [key, value] = new TextDecoder().decode(await file.read(MAGIC.length, file.size, options)).split("=");
    const attributes = new Map();
    return {
      ...{ kind: "pair", name: file.name },
      root: {
        ...{ kind: "group", path: "", id: "", attributes },
        keys: async () => [key],
        async open(name) {
          if (name !== key) throw new NotFoundError("no such name", { element: name });
          return {
            ...{ kind: "array", path: name, id: name, attributes, shape: [1], chunks: null },
            type: { kind: "float", bits: 64 },
            read: async () => ({ kind: "fixed", values: Float64Array.of(Number(value)) }),
          };
        },
      },
      dereference: () => Promise.reject(new UnsupportedError("no references")),
      close: () => file.close(),
    };
  },
  async explain(file, options) {
    const head = await file.read(0, Math.min(14, file.size), options);
    return new TextDecoder().decode(head) === "a binary pair:" ? "a pair in binary, which is not read" : null;
  },
};

beforeAll(() => registerContainer(container));

test("is opened as what its first bytes say", async () => {
  const opened = await openContainer(source(`${MAGIC}mean=2.5`));
  expect([opened.kind, await opened.root.keys()]).toEqual(["pair", ["mean"]]);
  const node = await opened.root.open("mean");
  expect(node.kind === "array" ? await node.read(0, 1) : null).toEqual({
    kind: "fixed",
    values: Float64Array.of(2.5),
  });
  await opened.close();
});

test("is known by its names to all that ask for them", async () => {
  expect(getContainerTitle("pair")).toBe("a pair");
  expect(findContainer("pair")?.hasExternalValues).toBe(true);
  await expect(openContainer(source("something else"))).rejects.toThrow(
    "neither HDF5, nor Zarr, nor a zip of Zarr, nor an R object, nor a pair, nor Parquet or Arrow (wrong first bytes)",
  );
});

test("explains files of its kind that are not read", async () => {
  await expect(openContainer(source("a binary pair:"))).rejects.toThrow("a pair in binary, which is not read");
});

test("has kinds that no other container has", () => {
  expect(() => registerContainer(container)).toThrow("there is a container pair already");
});
