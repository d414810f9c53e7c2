/** Registers the schemes of Arrow Flight. The code, including gRPC, is loaded at the first address. */

import { InvalidInputError } from "annarrow";
import { registerScheme } from "annarrow/scheme";
import { FLIGHT_OPTIONS } from "./connection.js";

/** Enables the core to open datasets from Flight services. */
export function registerFlight(): void {
  registerScheme({
    kind: "service",
    names: ["grpc", "grpc+tls"],
    aliases: ["grpc+tcp"],
    options: { key: "flight", names: FLIGHT_OPTIONS },
    async openDataset(address, { flight = {}, path, signal }) {
      if (path) throw new InvalidInputError("a Flight service has no groups: the path is part of its URI");
      const [{ openFlight }, { connectFlight }] = await Promise.all([
        import("./open-flight.js"),
        import("./grpc-client.node.js"),
      ]);
      return openFlight(address, connectFlight, { ...flight, signal });
    },
  });
}
