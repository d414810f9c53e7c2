import { expect, test } from "vitest";
import { isAnnarrowError } from "../../../src/model/errors.js";
import { tableOf } from "../anndata/expected.js";
import { expectedOf, openFixture } from "./fixtures.js";

test.each([
  ["null_reference/{2}", "null reference"],
  ["loop/{1}", "it contains itself"],
  ["jc_too_large", "ir has 3 values, jc ends with 1000"],
  ["empty_with_size", "MATLAB_empty with the size 2 x 3"],
  ["empty_huge", "MATLAB_empty with the size"],
  ["empty_structs", "1099511627776 elements"],
  ["other_type", "class int8, stored as float64"],
])("%s is a failure that says what is wrong", async (name, message) => {
  const data = await openFixture("broken.mat");
  expect(data.failures.get(name)?.message).toContain(message);
});

test.each([
  ["jc_decreases", "indptr[2] is 1"],
  ["ir_out_of_range", "indices[1] is 4"],
])("%s is an error where it is read", async (name, message) => {
  const data = await openFixture("broken.mat");
  const error = await data
    .table(name)
    .read()
    .catch((thrown: unknown) => thrown);
  expect(isAnnarrowError(error, "InvalidDataError")).toBe(true);
  expect(String(error)).toContain(message);
});

test("what is broken does not hide the others, and what is not known is kept", async () => {
  const data = await openFixture("broken.mat");
  for (const [name, expected] of Object.entries(expectedOf("broken"))) {
    expect(await tableOf(data.table(name)), name).toEqual(expected);
  }
  expect(data.table("unknown_class").metadata).toMatchObject({ class: "doble", opaque: true });
  expect(data.warnings.join()).toContain("class doble is not known");
  expect(data.warnings.join()).toContain("the file has no object store");
});
