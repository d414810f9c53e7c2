import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { platform as node } from "../../src/platform/platform.node.js";
import { platform as web } from "../../src/platform/web.js";
import { platform as usual } from "../platform.js";

const BYTES = Uint8Array.from({ length: 300_000 }, (_, i) => (i * i) >> 7);

test("#platform is Node's here, but for its workers", () => {
  expect(usual).toEqual({ ...node, threads: null });
});

describe.each([
  ["Node", node],
  ["pages", web],
])("what %s has", (_, platform) => {
  test("makes gzip streams", async () => {
    expect(Buffer.compare(gunzipSync(await platform.gzip(BYTES)), BYTES)).toBe(0);
  });
});
