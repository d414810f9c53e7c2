/** The messages of an Arrow IPC stream or file as Flight has them. */

import { readFileSync } from "node:fs";
import { readMessage } from "../../../../src/ipc/read/message.js";
import type { FlightData } from "../../src/flight/protocol/flight-data.js";

export function streamData(bytes: Uint8Array): FlightData[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found: FlightData[] = [];
  for (let at = Buffer.from(bytes.subarray(0, 6)).toString() === "ARROW1" ? 8 : 0; at + 8 <= bytes.length; ) {
    const length = view.getInt32(at + 4, true);
    if (length === 0) break;
    const header = bytes.subarray(at + 8, at + 8 + length);
    const { bodyLength } = readMessage(header);
    at += 8 + length + bodyLength;
    found.push({
      descriptor: null,
      header,
      appMetadata: new Uint8Array(0),
      body: [bytes.subarray(at - bodyLength, at)],
    });
  }
  return found;
}

export function fixtureData(path: string): FlightData[] {
  return streamData(new Uint8Array(readFileSync(`test/fixtures/data/${path}`)));
}
