/** Tables of many columns as the page is told of them: a part of their columns at a time. */

import { Field, Int32, Schema, Table } from "apache-arrow";
import { expect, test } from "vitest";
import { ipcFile } from "../../../src/sinks/ipc/ipc.js";
import { bytesOf } from "../../../test/sinks/dataset-of.js";
import { open } from "../../published/src/index.js";
import { Viewer } from "../src/viewer.js";

const COLUMNS = 10_003;

test("10,000 columns of a table are described at once, and the others when they are asked for", async () => {
  const schema = new Schema(Array.from({ length: COLUMNS }, (_, i) => new Field(`c${i}`, new Int32(), i % 2 === 0)));
  const bytes = await bytesOf(ipcFile(new Table(schema, [])));
  const viewer = new Viewer({ inputs: async () => [], open: () => open(bytes) });
  const { signal } = new AbortController();
  const ask = async (request: Parameters<Viewer["answer"]>[0]) => {
    const answer = await viewer.answer(request, signal);
    return answer.kind === "json" ? answer.value : null;
  };
  const described = await ask({ call: "describe", input: "wide" });
  expect(described).toMatchObject({
    tables: [{ columnCount: COLUMNS, columns: { length: 10_000, 9999: { name: "c9999" } } }],
  });
  const [table] = await open(bytes).then(({ tables }) => [...tables.keys()]);
  expect(await ask({ call: "columns", input: "wide", table, from: 10_000 })).toEqual([
    { name: "c10000", type: "Int32", nullable: true },
    { name: "c10001", type: "Int32", nullable: false },
    { name: "c10002", type: "Int32", nullable: true },
  ]);
  expect(await ask({ call: "columns", input: "wide", table, from: COLUMNS })).toEqual([]);
  await viewer.close();
});
