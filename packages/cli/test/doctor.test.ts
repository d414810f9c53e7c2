import { existsSync, readFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../../../test/build.js";
import { annarrow } from "./command.js";

beforeAll(ensureBuilt, 120_000);

test("doctor tells programs the versions, threads, memory and packages of this machine", async () => {
  const { code, stdout } = await annarrow("doctor", "--json");
  expect(code).toBe(0);
  const found = JSON.parse(stdout);
  const { version, dependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(found).toMatchObject({
    annarrow: { version },
    node: { version: process.version, path: process.execPath },
    threads: availableParallelism(),
    problems: [],
  });
  expect(found.memory.total).toBe(totalmem());
  const versions = new Map(
    found.packages.map((one: { name: string; version: string | null }) => [one.name, one.version]),
  );
  for (const name of ["apache-arrow", "h5wasm", "zarrita"]) expect(versions.get(name)).toBe(dependencies[name]);
  const azure = "@azure/identity";
  expect(versions.get(azure) === null).toBe(!existsSync(`node_modules/${azure}`));
});

test("doctor tells people what a missing package is for", async () => {
  const { stdout } = await annarrow("doctor");
  expect(stdout).toMatch(/^Node +v\d+\.\d+\.\d+ \(/m);
  expect(stdout).toMatch(/^parquet-wasm +\d+\.\d+\.\d+ +for reading Parquet/m);
  expect(stdout.trimEnd().split("\n").at(-1)).toBe("Everything that annarrow needs is here.");
});
