import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeSegment, FileNames } from "../../../src/sinks/directory/table-files.js";

test.each([
  ["obs", "obs"],
  ["X_umap", "X_umap"],
  ["a b", "a%20b"],
  ["100%", "100%25"],
  ["a:b?c*d", "a%3Ab%3Fc%2Ad"],
  ["ü", "%C3%BC"],
  [".", "%2E"],
  ["..", "%2E%2E"],
  [".hidden", "%2Ehidden"],
  ["end.", "end%2E"],
  ["CON", "%43ON"],
  ["nul.txt", "%6Eul.txt"],
  ["console", "console"],
  ["a\\b", "a%5Cb"],
  ["", "%"],
])("%j is %s", (name, file) => expect(encodeSegment(name)).toBe(file));

test("names that differ in capitals only get different files", () => {
  const names = new FileNames();
  expect(names.file(["obsm", "PCA"], ".arrow")).toBe("obsm/PCA.arrow");
  expect(names.file(["obsm", "pca"], ".arrow")).toBe("obsm/pca~2.arrow");
  expect(names.file(["OBSM", "x"], ".arrow")).toBe("OBSM~2/x.arrow");
  expect(names.file(["OBSM", "y"], ".arrow")).toBe("OBSM~2/y.arrow");
});

test("a file and a folder do not take each other's name", () => {
  const names = new FileNames(["manifest.json"]);
  expect(names.file(["a"], ".parquet")).toBe("a.parquet");
  expect(names.file(["a.parquet", "b"], ".parquet")).toBe("a.parquet~2/b.parquet");
  expect(names.file(["manifest"], ".json")).toBe("manifest~2.json");
});

test("long names are cut, and stay different", () => {
  const names = new FileNames();
  const files = ["a", "b"].map((end) => names.file([`${"é".repeat(300)}${end}`], ".parquet"));
  expect(new Set(files).size).toBe(2);
  for (const file of files) expect(file.length).toBeLessThanOrEqual(255);
});

test("no name leads anywhere else, and no two are one file", () => {
  const name = fc.array(fc.string({ unit: "binary", maxLength: 12 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.uniqueArray(name, { selector: (path) => path.join("/"), maxLength: 8 }), (paths) => {
      const names = new FileNames();
      const files = paths.map((path) => names.file(path, ".arrow"));
      expect(new Set(files.map((file) => file.toLowerCase())).size).toBe(files.length);
      for (const file of files) {
        for (const segment of file.split("/")) expect(segment).toMatch(/^(?!\.)[A-Za-z0-9_.\-+=,@()%~]+$/);
      }
    }),
  );
});
