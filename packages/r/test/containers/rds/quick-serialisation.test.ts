import { expect, test } from "vitest";
import { open } from "../../../../published/src/node.js";

test.each([0x0c, 0xc1, 0xcd])("files of qs and qs2 are refused by name: %i", async (last) => {
  const bytes = Uint8Array.of(0x0b, 0x0e, 0x0a, last, ...new Uint8Array(64));
  await expect(open(bytes)).rejects.toThrow("the package qs or qs2: save it again in R with saveRDS()");
});
