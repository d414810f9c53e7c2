/** Files of MATLAB before 7.3, by hand after the "MAT-File Format": what is said of them. */

import { describe, expect, it } from "vitest";
import { open } from "../../../src/api/open.js";

const text = (value: string, length: number) => Buffer.alloc(length, " ").fill(value, 0, value.length, "latin1");

/** The 128 bytes at the begin of versions 5 to 7.3. */
function header(version: number, indicator: "IM" | "MI", words = "MATLAB 5.0 MAT-file, Platform: GLNXA64"): Buffer {
  const tail = Buffer.alloc(4);
  if (indicator === "IM") tail.writeUInt16LE(version);
  else tail.writeUInt16BE(version);
  tail.write(indicator, 2, "latin1");
  return Buffer.concat([text(words, 116), Buffer.alloc(8), tail]);
}

/** A matrix of version 4: five integers, the name, the values. */
function level4(type: number, name: string, values: Buffer, little = true): Buffer {
  const head = Buffer.alloc(20);
  for (const [i, word] of [type, 1, 1, 0, name.length + 1].entries()) {
    if (little) head.writeInt32LE(word, 4 * i);
    else head.writeInt32BE(word, 4 * i);
  }
  return Buffer.concat([head, Buffer.from(`${name}\0`, "latin1"), values]);
}

const message = (bytes: Uint8Array) =>
  open(bytes).then(
    () => "opened",
    (error: unknown) => `${error}`,
  );

describe("MATLAB files that are no HDF5", () => {
  it.each([
    ["5, little-endian", header(0x100, "IM")],
    ["5, big-endian", header(0x100, "MI")],
    ["5, with what follows", Buffer.concat([header(0x100, "IM"), Buffer.alloc(4000, 7)])],
    ["5, with other words", header(0x100, "IM", "written by something else")],
  ])("version %s: says what it is, and what to do", async (_, bytes) => {
    expect(await message(bytes)).toMatch(
      /UnsupportedError: .*a MATLAB file of version 5 to 7, which is no HDF5: save it again in MATLAB with save\(…, "-v7\.3"\), in Octave with save -hdf5/,
    );
  });

  it.each([
    ["little-endian doubles", level4(0, "x", Buffer.alloc(8))],
    ["big-endian doubles", level4(1000, "x_1", Buffer.alloc(8), false)],
    ["text", level4(51, "name", Buffer.alloc(1))],
    ["a sparse matrix", level4(2, "s", Buffer.alloc(400))],
  ])("version 4, %s", async (_, bytes) => {
    expect(await message(bytes)).toMatch(
      /UnsupportedError: .*a MATLAB file of version 4, which is no HDF5: save it again/,
    );
  });

  it.each([
    ["alone", header(0x200, "IM", "MATLAB 7.3 MAT-file")],
    ["and zeros", Buffer.concat([header(0x200, "MI"), Buffer.alloc(4000)])],
  ])("the header of version 7.3 %s", async (_, bytes) => {
    expect(await message(bytes)).toMatch(/UnsupportedError: .*MATLAB file of version 7\.3, but no HDF5 follows/);
  });

  it.each([
    ["zeros", Buffer.alloc(200)],
    ["another version", header(0x300, "IM")],
    ["a name that is none", level4(0, "1x", Buffer.alloc(8))],
    ["a type that is none", level4(3, "x", Buffer.alloc(8))],
    ["the byte order of the other", level4(1000, "x", Buffer.alloc(8), true)],
    ["a name that is cut off", level4(0, "longer", Buffer.alloc(0)).subarray(0, 24)],
    ["a few bytes", Buffer.from([0, 0, 0, 0])],
  ])("%s: nothing of MATLAB", async (_, bytes) => {
    expect(await message(bytes)).toMatch(/UnsupportedError: .*neither HDF5, nor Zarr/);
  });
});
