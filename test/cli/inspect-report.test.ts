import { expect, test } from "vitest";
import { inspectText } from "../../src/cli/commands/inspect-report.js";
import { open } from "../../src/node.js";

const DATA = "test/fixtures/data";
const { signal } = new AbortController();

test.each([
  [`${DATA}/cellranger/v3.h5`, ", 40 cells x 12 genes"],
  [`${DATA}/h5seurat/object.h5seurat`, ", 5 cells x 6 genes"],
  [`${DATA}/r/seurat.rds`, ", 5 cells x 6 genes"],
  // A matrix alone may be anything.
  [`${DATA}/r/dgCMatrix.rds`, ": R dgCMatrix in RDS, 6 x 5"],
  [`${DATA}/r/matrix.rds`, ": R data in RDS, 6 x 5"],
  [`${DATA}/r/several.RData`, ": R data in RDS"],
])("the first line names the axes of the shape: %s", async (path, size) => {
  const data = await open(path);
  const [line] = (await inspectText(data, { signal })).split("\n");
  expect(line.endsWith(size), line).toBe(true);
  const { obs, var: features } = Object.fromEntries(data.tables);
  if (obs !== undefined) expect(data.shape).toEqual([obs.rows, features.rows]);
  await data.close();
});
