import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { FOLLOW_ADVICE } from "../../../src/containers/hdf5/followed/followed-files.js";
import { crossCheck } from "./cross-check.js";
import { bytesSource } from "./fixture.js";

const FOLDERS = ["hdf5", "anndata"].map((name) => `test/fixtures/data/${name}`);
const FILES = FOLDERS.flatMap((folder) =>
  readdirSync(folder)
    // h5wasm does not tell an integer's precision, which all of this file is about; values.test.ts has what h5py reads.
    .filter((name) => /\.(h5|h5ad|h5mu|loom)(\.gz)?$/.test(name) && name !== "n_bit.h5")
    .map((name) => [name, `${folder}/${name}`] as const),
);

/** What neither is compared nor counts as equal, by file: why, and how often. */
const NOT_COMPARED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "bad.h5": { "HDF5 filter 511": 1, "chunks of 2147483648 bytes; at most 1073741824 are read": 1 },
  "dense_attributes.h5": { "a named datatype, which is neither group nor array": 1 },
  "dense_links.h5": { [`external link to /x in the file other.h5; ${FOLLOW_ADVICE}`]: 1 },
  // HDF5 2.0 wrote it, whose types libhdf5 1.14 lacks; test/readers/generic/hdf5-2.test.ts has the values of 2.0.
  "hdf5_2.h5": {
    "libhdf5 fails: HDF5 datatype class 11": 2,
    "not compared here: region references, and floats that are none of IEEE's": 3,
  },
  "links.h5": {
    "a named datatype, which is neither group nor array": 1,
    [`external link to /x in the file other.h5; ${FOLLOW_ADVICE}`]: 2,
    [`external storage: the values lie in the file /etc/passwd; ${FOLLOW_ADVICE}`]: 1,
    [`virtual dataset: the values lie in the file other.h5; ${FOLLOW_ADVICE}`]: 1,
  },
  "newer_groups.h5": {
    [`external link to /x in the file other.h5; ${FOLLOW_ADVICE}`]: 2,
    [`external link to /x é in the file other.h5; ${FOLLOW_ADVICE}`]: 1,
  },
  "types.h5": {
    "a named datatype, which is neither group nor array": 1,
    "float of 80 bits in 16 bytes (not IEEE)": 1,
  },
  "virtual.h5": {
    [`external link to /a in the file other.h5; ${FOLLOW_ADVICE}`]: 2,
    "virtual dataset of /lzf, which has the HDF5 filter 32000 (lzf)": 1,
    "virtual dataset of the virtual dataset /of_itself": 1,
    "virtual dataset of the virtual dataset /rows": 1,
    [`virtual dataset: the values lie in the file virtual_other.h5; ${FOLLOW_ADVICE}`]: 1,
  },
  "broken.h5ad": {
    [`external link to /X in the file other.h5ad; ${FOLLOW_ADVICE}`]: 1,
    "float of 80 bits in 16 bytes (not IEEE)": 1,
  },
};

/** Arrays of which libhdf5, or h5wasm, says something else, and why. */
const DIFFERENT: Readonly<Record<string, readonly string[]>> = {
  "virtual.h5": ["/huge: 17592186044416 bytes"],
  // Made to be refused: libhdf5 gives what it finds, or nothing.
  "bad.h5": [
    "/fletcher32: chunk has fletcher32 checksum",
    "/gzip_bomb: ",
    "/gzip_checksum: ",
    "/gzip_cut: ",
    "/gzip_long: ",
    "/gzip_noise: ",
    "/gzip_short: ",
    "/huge_chunked: shape 1099511627776",
    "/huge_contiguous: 8796093022208 bytes",
    "/text_heap: there is no heap",
    "/text_short: ",
  ],
  "broken.h5ad": ["/uns/huge: shape 1099511627776 x 1048576"],
  "legacy_0_6_broken.h5ad": ["/obs: chunk has fletcher32 checksum"],
  // h5wasm does not tell an integer's precision, nor enum values beyond 32 bits.
  "layouts.h5": ["/nbit: values"],
  "types.h5": ["/enum_i8: type", "/i24_le: values", "/u9_offset3: values"],
};

test.each(FILES)("%s reads as libhdf5 reads it", async (name, path) => {
  const stored = readFileSync(path);
  const bytes = new Uint8Array(name.endsWith(".gz") ? gunzipSync(stored) : stored);
  const { equal, skipped, different } = await crossCheck(bytesSource(bytes, name), bytes);
  expect(equal.groups).toBeGreaterThan(0);
  const reasons: Record<string, number> = {};
  for (const one of skipped) {
    const reason = one.slice(one.indexOf(": ") + 2);
    // Our own tests compare those with what h5py reads.
    if (!reason.startsWith("h5wasm has no filter")) reasons[reason] = (reasons[reason] ?? 0) + 1;
  }
  expect(reasons).toEqual(NOT_COMPARED[name] ?? {});
  const expected = DIFFERENT[name] ?? [];
  expect(different.map((one, i) => one.slice(0, expected[i]?.length))).toEqual(expected);
});

test("many values, attributes and links were compared", async () => {
  const total = { groups: 0, links: 0, attributes: 0, arrays: 0, values: 0 };
  for (const name of ["modern.h5ad", "odd.h5ad"]) {
    const bytes = new Uint8Array(readFileSync(`test/fixtures/data/anndata/${name}`));
    const { equal } = await crossCheck(bytesSource(bytes, name), bytes);
    total.groups += equal.groups;
    total.attributes += equal.attributes;
    total.arrays += equal.arrays;
  }
  expect(total.groups).toBeGreaterThan(20);
  expect(total.attributes).toBeGreaterThan(100);
  expect(total.arrays).toBeGreaterThan(50);
});
