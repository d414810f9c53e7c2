/** The connections of one dataset: the one that opened it, and one for each other server that provides endpoints. */

import { InvalidInputError, UnsupportedError } from "annarrow";
import type { FlightConnection, FlightOptions } from "./connection.js";
import type { FlightLocation as Place } from "./protocol/descriptor.js";
import { isFlightUri, parseFlightLocation, type ServerAddress } from "./protocol/location.js";

export type Connect = (uri: string, options: FlightOptions) => Promise<FlightConnection>;

/** URI that refers to the connection through which a flight was found. */
const REUSE = "arrow-flight-reuse-connection:";

/** Names of this machine. A service that listens on all addresses may advertise one of these names. */
const LOCAL = new Set(["localhost", "127.0.0.1", "[::1]", "0.0.0.0", "[::]"]);

export class FlightConnections {
  readonly main: FlightConnection;
  readonly #connect: Connect;
  readonly #own: ServerAddress;
  readonly #options: FlightOptions;
  readonly #others = new Map<string, Promise<FlightConnection>>();

  private constructor(main: FlightConnection, own: ServerAddress, connect: Connect, options: FlightOptions) {
    this.main = main;
    this.#own = own;
    this.#connect = connect;
    this.#options = options;
  }

  /** @throws {InvalidInputError} if `uri` is not a Flight URI. */
  static async open(uri: string, connect: Connect, options: FlightOptions): Promise<FlightConnections> {
    return new FlightConnections(await connect(uri, options), parseFlightLocation(uri), connect, options);
  }

  /**
   * Returns functions that connect to the locations of an endpoint, one for each allowed location.
   * @throws {InvalidInputError} if all locations are on hosts that are not allowed, or would send encrypted rows in
   * clear; {UnsupportedError} if no location is a Flight service.
   */
  reachable(places: readonly Place[]): (() => Promise<FlightConnection>)[] {
    if (places.length === 0) return [async () => this.main];
    const found: (() => Promise<FlightConnection>)[] = [];
    let problem: Error | undefined;
    for (const { uri } of places) {
      if (uri.startsWith(REUSE)) found.push(async () => this.main);
      else {
        const refused = this.#refusal(uri);
        if (refused === null) found.push(() => this.#at(uri));
        problem ??= refused ?? undefined;
      }
    }
    if (found.length === 0 && problem !== undefined) throw problem;
    return found;
  }

  close(): void {
    this.main.close();
    for (const other of this.#others.values()) {
      void other.then(
        (connection) => connection.close(),
        () => undefined,
      );
    }
  }

  #refusal(uri: string): Error | null {
    if (!isFlightUri(uri)) return new UnsupportedError(`the rows lie at ${uri}, which is no service of Flight`);
    const location = parseFlightLocation(uri);
    if (this.#own.tls && !location.tls) {
      return new InvalidInputError(`the rows lie at ${uri}, which is not encrypted as ${this.#own.name} is`);
    }
    const [host, own] = [hostOf(location), hostOf(this.#own)];
    const { hosts = [] } = this.#options;
    const isAllowed =
      host === own || (LOCAL.has(host) && LOCAL.has(own)) || hosts.includes(host) || hosts.includes("*");
    if (isAllowed) return null;
    const remedy = `name it in the option hosts, as { hosts: [${JSON.stringify(host)}] }, to send it what says who asks`;
    return new InvalidInputError(`the rows lie on another host, ${host}: ${remedy}`);
  }

  #at(uri: string): Promise<FlightConnection> {
    const { name, address, tls } = parseFlightLocation(uri);
    if (address === this.#own.address && tls === this.#own.tls) return Promise.resolve(this.main);
    let other = this.#others.get(name);
    if (other === undefined) {
      other = this.#connect(uri, this.#options);
      this.#others.set(name, other);
    }
    return other;
  }
}

function hostOf({ address }: ServerAddress): string {
  return address.slice(0, address.lastIndexOf(":"));
}
