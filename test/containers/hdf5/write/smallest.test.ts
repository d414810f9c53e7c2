import { expect, test } from "vitest";
import { INT32, int32, written } from "./written.js";

/** Bytes at positions; all others are zero. Written by hand from the specification. */
function file(length: number, parts: readonly (readonly [at: number, bytes: string])[]): Uint8Array {
  const bytes = new Uint8Array(length);
  for (const [at, hex] of parts) bytes.set(Buffer.from(hex.replaceAll(" ", ""), "hex"), at);
  return bytes;
}

const NONE = "ffffffffffffffff";

test("an array of two integers is the file of 1176 bytes that the specification asks for", async () => {
  const bytes = await written(async ({ root }) => {
    const array = await root.array("x", { type: INT32, shape: [2] });
    await array.write(int32(7, -1), 2);
    await array.close();
  });
  const expected = file(1176, [
    // Superblock 0.
    [0, "894844460d0a1a0a 00 00 00 00 00 08 08 00 0400 1000"],
    [32, NONE],
    [40, "9804"],
    [48, NONE],
    [64, "7004"],
    [72, "01"],
    [80, "5002"],
    [88, "e8"],
    // Data, header: dataspace, datatype, fill value, layout.
    [96, "07000000 ffffffff"],
    [104, "01 00 0400 01000000 60000000"],
    [120, "0100 1000 00 000000 01 01"],
    [136, "02"],
    [144, "0300 1000 01 000000 10 080000 04000000 0000 2000"],
    [168, "0500 0800 01 000000 02 02 02 01"],
    [184, "0800 1800 00 000000 03 01 6000000000000000 0800000000000000"],
    // Names, their heap, symbol node, tree, header of the root.
    [224, "78"],
    [232, "48454150"],
    [240, "10"],
    [248, "01"],
    [256, "d8"],
    [264, "534e4f44 01 00 0100"],
    [272, "08"],
    [280, "68"],
    [592, `54524545 00 00 0100 ${NONE} ${NONE}`],
    [624, "0801"],
    [632, "08"],
    [1136, "01 00 0100 01000000 18000000"],
    [1152, "1100 1000 00 000000 5002000000000000 e8"],
  ]);
  expect(Buffer.from(bytes).toString("hex")).toBe(Buffer.from(expected).toString("hex"));
});
