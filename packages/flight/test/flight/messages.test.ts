import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  readAction,
  readActionResult,
  readActionType,
  readCancelFlightInfo,
  readPutResult,
  readRenewEndpoint,
  writeAction,
  writeActionResult,
  writeActionType,
  writeCancelResult,
  writePutResult,
} from "../../src/flight/protocol/action.js";
import {
  type FlightDescriptor,
  readCriteria,
  readDescriptor,
  readTicket,
  writeCriteria,
  writeDescriptor,
  writeTicket,
} from "../../src/flight/protocol/descriptor.js";
import { type FlightData, readFlightData, writeFlightData } from "../../src/flight/protocol/flight-data.js";
import {
  type FlightEndpoint,
  type FlightInfo,
  readEndpoint,
  readFlightInfo,
  readPollInfo,
  readSchemaResult,
  writeEndpoint,
  writeFlightInfo,
  writePollInfo,
  writeSchemaResult,
} from "../../src/flight/protocol/flight-info.js";
import { readBasicAuth, readHandshake, writeHandshake } from "../../src/flight/protocol/handshake.js";
import { METHODS } from "../../src/flight/protocol/methods.js";
import { joinParts, type ProtoWriter } from "../../src/flight/protocol/proto-writer.js";
import { metadataOnly } from "./metadata-only.js";
import { readCancelResult, writeBasicAuth, writeCancelFlightInfo, writeRenewEndpoint } from "./other-side.js";

const PYARROW: Readonly<Record<string, string>> = JSON.parse(
  readFileSync("test/fixtures/data/flight/messages.json", "utf8"),
);
const ofHex = (digits: string) => new Uint8Array(Buffer.from(digits, "hex"));
const ofPyarrow = (name: string) => ofHex(PYARROW[name]);
const text = (value: string) => new TextEncoder().encode(value);
const written = (writer: ProtoWriter) => joinParts(writer.finish());
const hex = (writer: ProtoWriter) => Buffer.from(written(writer)).toString("hex");

const PATH: FlightDescriptor = { kind: "path", path: ["pbmc.h5ad", "obsm/ä", ""] };
const COMMAND: FlightDescriptor = { kind: "command", command: Uint8Array.of(0, ...text("select"), 255) };
const NONE = new Uint8Array(0);
const PLAIN: FlightEndpoint = {
  ticket: { ticket: text("ticket") },
  locations: [],
  expirationTime: null,
  appMetadata: NONE,
};
const FULL: FlightEndpoint = {
  ticket: { ticket: new Uint8Array(300) },
  locations: [{ uri: "grpc://a:1" }, { uri: "grpc+tls://[::1]:2" }],
  expirationTime: new Date("2031-02-03T04:05:06.789Z"),
  appMetadata: text("rows"),
};
const BEFORE: FlightEndpoint = {
  ticket: { ticket: NONE },
  locations: [{ uri: "grpc://a:1" }],
  expirationTime: new Date("1969-12-31T23:59:58.500Z"),
  appMetadata: NONE,
};
const INFO: FlightInfo = {
  schema: ofPyarrow("schema"),
  descriptor: PATH,
  endpoints: [PLAIN, FULL, BEFORE],
  totalRecords: 2 ** 40,
  totalBytes: 5,
  ordered: true,
  appMetadata: text("about"),
};
const UNKNOWN: FlightInfo = {
  ...{ schema: INFO.schema, descriptor: COMMAND, endpoints: [], totalRecords: -1, totalBytes: -1 },
  ...{ ordered: false, appMetadata: NONE },
};

describe("messages that pyarrow wrote are read, and written byte for byte", () => {
  test.each<[string, unknown, (bytes: Uint8Array) => unknown, () => ProtoWriter]>([
    ["descriptor_path", PATH, readDescriptor, () => writeDescriptor(PATH)],
    ["descriptor_command", COMMAND, readDescriptor, () => writeDescriptor(COMMAND)],
    ["ticket", { ticket: Uint8Array.of(1, 2) }, readTicket, () => writeTicket({ ticket: Uint8Array.of(1, 2) })],
    [
      "action",
      { type: "inspect", body: text("body") },
      readAction,
      () => writeAction({ type: "inspect", body: text("body") }),
    ],
    ["result", { body: text("out") }, readActionResult, () => writeActionResult({ body: text("out") })],
    [
      "basic_auth",
      { username: "name", password: "ö" },
      readBasicAuth,
      () => writeBasicAuth({ username: "name", password: "ö" }),
    ],
    ["schema_result", { schema: INFO.schema }, readSchemaResult, () => writeSchemaResult({ schema: INFO.schema })],
    ["endpoint_plain", PLAIN, readEndpoint, () => writeEndpoint(PLAIN)],
    ["endpoint_full", FULL, readEndpoint, () => writeEndpoint(FULL)],
    ["info_unknown", UNKNOWN, readFlightInfo, () => writeFlightInfo(UNKNOWN)],
  ])("%s", (name, value, read, write) => {
    expect(read(ofPyarrow(name))).toEqual(value);
    expect(hex(write())).toBe(PYARROW[name]);
  });

  // pyarrow writes negative nanoseconds and empty tickets, for which the format has other forms.
  test("times before 1970", () => {
    expect(readEndpoint(ofPyarrow("endpoint_before"))).toEqual(BEFORE);
    expect(readFlightInfo(ofPyarrow("info"))).toEqual(INFO);
    expect(readEndpoint(written(writeEndpoint(BEFORE)))).toEqual(BEFORE);
    expect(readFlightInfo(written(writeFlightInfo(INFO)))).toEqual(INFO);
  });
});

test("the other messages, by hand from the specification", () => {
  expect(hex(writeHandshake({ protocolVersion: 300n, payload: text("x") }))).toBe("08ac02120178");
  expect(readHandshake(ofHex("08ac02120178"))).toEqual({ protocolVersion: 300n, payload: text("x") });
  expect(hex(writePutResult({ appMetadata: text("m") }))).toBe("0a016d");
  expect(readPutResult(ofHex("0a016d")).appMetadata).toEqual(text("m"));
  expect(hex(writeCriteria({ expression: text("e") }))).toBe("0a0165");
  expect(readCriteria(ofHex("0a0165")).expression).toEqual(text("e"));
  expect(hex(writeActionType({ type: "a", description: "b" }))).toBe("0a0161120162");
  expect(readActionType(ofHex("0a0161120162"))).toEqual({ type: "a", description: "b" });
  expect(hex(writeCancelResult("cancelling"))).toBe("0802");
  expect(readCancelResult(ofHex("0802"))).toBe("cancelling");
  expect(readCancelResult(ofHex("0863"))).toBe("unspecified");
  expect(readCancelFlightInfo(written(writeCancelFlightInfo(UNKNOWN)))).toEqual(UNKNOWN);
  expect(readRenewEndpoint(written(writeRenewEndpoint(FULL)))).toEqual(FULL);
  const poll = { info: UNKNOWN, descriptor: COMMAND, progress: 0, expirationTime: new Date(0) };
  expect(readPollInfo(written(writePollInfo(poll)))).toEqual(poll);
  // A progress of 0 is not the same as none.
  expect(hex(writePollInfo({ info: null, descriptor: null, progress: 0, expirationTime: null }))).toBe(
    "190000000000000000",
  );
  expect(METHODS.doGet.path).toBe("/arrow.flight.protocol.FlightService/DoGet");
  expect(METHODS.listActions.request.read(written(METHODS.listActions.request.write({})))).toEqual({});
});

describe("FlightData", () => {
  const data = (body: readonly Uint8Array[]): FlightData => ({
    ...{ descriptor: PATH, header: text("header"), appMetadata: text("app"), body },
  });

  test("the body has the field number 1000 and is last", () => {
    const message = hex(writeFlightData({ ...data([text("bo"), text("dy")]), descriptor: null }));
    expect(message).toBe(
      `1206${Buffer.from("header").toString("hex")}1a03617070c23e04${Buffer.from("body").toString("hex")}`,
    );
  });

  test("pieces of the body are not copied before they are put in their place", () => {
    const [large, small] = [new Uint8Array(1000).fill(1), Uint8Array.of(2)];
    const { parts, length } = writeFlightData(data([large, small])).finish();
    expect(parts).toContain(large);
    expect(parts.reduce((sum, part) => sum + part.length, 0)).toBe(length);
    const bytes = joinParts({ parts, length });
    const found = readFlightData(bytes);
    expect(found.body).toEqual([Uint8Array.of(...large, 2)]);
    expect(found.body[0].buffer).toBe(bytes.buffer);
  });

  test("metadata alone has neither header nor body", () => {
    expect(hex(writeFlightData(metadataOnly(text("m"))))).toBe("1a016d");
    expect(readFlightData(ofHex("1a016d"))).toEqual(metadataOnly(text("m")));
  });

  test("a header without a body has an empty one", () => {
    expect(hex(writeFlightData({ ...metadataOnly(NONE), header: text("h") }))).toBe("120168c23e00");
  });
});

describe("broken messages", () => {
  test("every prefix of a message that ends within a field is cut off", () => {
    const whole = ofPyarrow("info");
    const ends = new Set<number>();
    for (let length = 0; length < whole.length; length++) {
      try {
        readFlightInfo(whole.subarray(0, length));
        ends.add(length);
      } catch (error) {
        expect(error).toMatchObject({ tag: "InvalidDataError" });
      }
    }
    // Between the eight fields, three of them endpoints.
    expect(ends.size).toBe(9);
  });

  test.each<[string, string, string]>([
    ["a field that is longer than the message", "0aff01", "a field of 255 bytes at byte 3, there are 3"],
    ["a length of 2^64 - 1", "0affffffffffffffffff01", "18446744073709552000 bytes"],
    ["a number of eleven bytes", "20ffffffffffffffffffff01", "more than 10 bytes"],
    ["the field number 0", "0201", "field key 2"],
    ["a group", "0b0c", "field key 11"],
    ["text that is no UTF-8", "1a0512030a01ff", "field 1 of Location is not UTF-8"],
    ["a number where bytes should be", "0805", "field 1 of FlightInfo is written as varint, expected delimited"],
    ["a count beyond 2^53", "20ffffffffffffffff7f", "beyond 2^53"],
    ["a time that is none", "1a0b1a0908ffffffffffffff07", "no time"],
    ["a descriptor of an unknown type", "12020807", "the type 7"],
  ])("%s", (_, bytes, problem) => {
    expect(() => readFlightInfo(ofHex(bytes))).toThrow(problem);
  });

  test("unknown fields of all kinds are passed over", () => {
    // Field 111 as a number, eight bytes, three bytes, and four bytes.
    const unknown = ["f8060a", "f90600000000000000ff", "fa0603616263", "fd0601020304"].join("");
    const bytes = ofHex(`${unknown}${PYARROW.ticket}${unknown}`);
    expect(readTicket(bytes)).toEqual({ ticket: Uint8Array.of(1, 2) });
  });

  test("a path of more names than any service has", () => {
    const path = Array.from({ length: 1025 }, () => "");
    expect(() => readDescriptor(written(writeDescriptor({ kind: "path", path })))).toThrow("more than 1024 names");
  });

  test("random bytes are read, or are an error of this library", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        for (const { request, response } of Object.values(METHODS)) {
          for (const { read } of [request, response]) {
            try {
              read(bytes);
            } catch (error) {
              expect(error).toMatchObject({ tag: "InvalidDataError" });
            }
          }
        }
      }),
    );
  });
});

describe("what is written is read again", () => {
  const bytes = fc.uint8Array({ maxLength: 600 });
  const descriptor: fc.Arbitrary<FlightDescriptor> = fc.oneof(
    fc.array(fc.string({ unit: "grapheme" })).map((path): FlightDescriptor => ({ kind: "path", path })),
    bytes.map((command): FlightDescriptor => ({ kind: "command", command })),
    fc.constant<FlightDescriptor>({ kind: "unknown" }),
  );
  const endpoint: fc.Arbitrary<FlightEndpoint> = fc.record({
    ticket: fc.record({ ticket: bytes }),
    locations: fc.array(fc.record({ uri: fc.string() })),
    expirationTime: fc.option(fc.date({ noInvalidDate: true })),
    appMetadata: bytes,
  });
  const count = fc.integer({ min: -1, max: Number.MAX_SAFE_INTEGER });

  test("infos", () => {
    const info: fc.Arbitrary<FlightInfo> = fc.record({
      schema: bytes,
      descriptor: fc.option(descriptor),
      endpoints: fc.array(endpoint),
      totalRecords: count,
      totalBytes: count,
      ordered: fc.boolean(),
      appMetadata: bytes,
    });
    fc.assert(
      fc.property(info, (value) => {
        expect(readFlightInfo(written(writeFlightInfo(value)))).toEqual(value);
      }),
    );
  });

  test("data", () => {
    const data = fc.record({
      descriptor: fc.option(descriptor),
      header: bytes,
      appMetadata: bytes,
      body: fc.array(bytes),
    });
    fc.assert(
      fc.property(data, (value) => {
        const found = readFlightData(written(writeFlightData(value)));
        expect({ ...found, body: null }).toEqual({ ...value, body: null });
        expect(Buffer.concat(found.body)).toEqual(Buffer.concat(value.body));
      }),
    );
  });
});
