/** Times and packed numbers of the CF conventions. The dates are those of cftime (`num2date`). */

import { describe, expect, test } from "vitest";
import { open } from "../../../packages/published/src/node.js";
import { computeCfTicks, parseCfTime } from "../../../src/readers/generic/arrays/cf-time.js";

const never = () => false;

function timeOf(units: string, calendar?: string) {
  const time = parseCfTime(units, calendar);
  if (time === null || typeof time === "string") throw new Error(String(time));
  return time;
}

describe("units since a date", () => {
  test.each([
    ["days since 1-1-1", "standard", -62135769600000000n],
    ["days since 1500-02-29", "standard", -14825894400000000n],
    ["days since 1582-10-04", "standard", -12219379200000000n],
    ["days since 1582-10-15", "standard", -12219292800000000n],
    ["hours since 2000-02-29 06:30", "proleptic_gregorian", 951805800000000n],
    ["seconds since 0000-03-01", "proleptic_gregorian", -62162035200000000n],
    ["seconds since 1970-01-01T00:00:00.25Z", "gregorian", 250000n],
    ["seconds since 1970-01-01 00:00:00 +01:30", "standard", -5400000000n],
    ["nanoseconds since 1970-01-02", "standard", 86400000000000n],
  ])("%s (%s)", (units, calendar, since) => {
    expect(timeOf(units, calendar).since).toBe(since);
  });

  test.each([
    ["days since 2000-01-01", "noleap", 'the calendar "noleap" has no Arrow type'],
    ["months since 2000-01-01", "standard", 'the unit "months" has no fixed length'],
    ["days since 0000-01-01", "standard", '"0000-01-01" is no date of the calendar standard'],
    ["days since 1582-10-10", "standard", '"1582-10-10" is no date of the calendar standard'],
    ["days since 2001-02-29", "standard", '"2001-02-29" is no date of the calendar standard'],
    ["days since yesterday", "standard", '"yesterday" is no date of the calendar standard'],
  ])("%s (%s) stays a number, and says why", (units, calendar, reason) => {
    expect(parseCfTime(units, calendar)).toBe(reason);
  });

  test("other units are none of a time", () => {
    expect(parseCfTime("degrees_north")).toBeNull();
    expect(parseCfTime("days")).toBeNull();
  });
});

describe("values", () => {
  test("are rounded to microseconds, and whole units are exact", () => {
    const time = timeOf("days since 1970-01-01");
    const ticks = computeCfTicks(Float64Array.of(0.1, -0.5, 100_000_000.25, Number.NaN), never, time);
    expect([...ticks]).toEqual([8640000000n, -43200000000n, 8640000021600000000n, -(2n ** 63n)]);
    const stored = computeCfTicks(BigInt64Array.of(2n ** 52n), never, timeOf("microseconds since 1970-01-01"));
    expect([...stored]).toEqual([2n ** 52n]);
  });

  test("beyond 64 bits, and before the Gregorian calendar, are errors", () => {
    const time = timeOf("days since 1582-10-15");
    expect(() => computeCfTicks(Float64Array.of(9.97e36), never, time)).toThrow(/passes the range/);
    expect(() => computeCfTicks(Float64Array.of(Number.POSITIVE_INFINITY), never, time)).toThrow(/passes the range/);
    expect(() => computeCfTicks(Int32Array.of(-1), never, time)).toThrow(/before 1582-10-15/);
    const proleptic = timeOf("days since 1582-10-15", "proleptic_gregorian");
    expect([...computeCfTicks(Int32Array.of(-1), never, proleptic)]).toEqual([-12219379200000000n]);
  });
});

describe("files", () => {
  test("types, attributes and warnings of decoded tables", async () => {
    const data = await open("test/fixtures/data/plain/netcdf4.nc", { cf: true });
    const typeOf = (name: string) => String(data.table(name).schema.fields[0].type);
    expect(["time", "tas", "unsigned", "whole", "noleap"].map(typeOf)).toEqual([
      "Timestamp<MICROSECOND>",
      "FixedSizeList[3]<FixedSizeList[4]<Float64>>",
      ...["Uint8", "Int32", "Float64"],
    ]);
    expect(data.table("tas").metadata).toMatchObject({
      dimensions: ["time", "lat", "lon"],
      attributes: { units: "K" },
      cf: { _FillValue: [-999], scale_factor: [0.01], add_offset: [273.15] },
    });
    expect(data.warnings).toEqual(['noleap: the times stay numbers: the calendar "noleap" has no Arrow type']);
    await data.close();
  });

  test("the option is about plain files alone", async () => {
    await expect(open("examples/pbmc.h5ad", { cf: true })).rejects.toThrow(/about plain HDF5 and Zarr.*openAs/);
    const data = await open("examples/pbmc.h5ad", { cf: true, openAs: "hdf5" });
    expect(data.tables.has("obsm/X_umap")).toBe(true);
    await data.close();
  });
});
