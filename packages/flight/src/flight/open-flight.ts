/** Opens a Flight service as a dataset: lists its tables and reads their schemas, but no values. */

import type { DataTable, Format, Layout } from "annarrow";
import {
  type AnnarrowError,
  InvalidDataError,
  InvalidInputError,
  isAnnarrowError,
  MissingDependencyError,
  NotFoundError,
  UnsupportedError,
} from "annarrow";
import type { RemoteDataset } from "annarrow/core/io";
import { findFormat, isJsonObject, readJson, runWithLocation } from "annarrow/core/model";
import type { CallOptions, FlightConnection, FlightOptions } from "./connection.js";
import { type Connect, FlightConnections } from "./connections.js";
import { FlightTable, parseTableMetadata } from "./flight-table.js";
import {
  createFlightNotFoundError,
  findFlight,
  isFlightServiceError,
  type ListedFlight,
  listFlightsBelow,
  readFlightSchema,
} from "./listed-flights.js";
import { encodeJsonBytes } from "./protocol/action.js";
import type { FlightDescriptor } from "./protocol/descriptor.js";
import type { FlightInfo } from "./protocol/flight-info.js";
import { parseFlightLocation } from "./protocol/location.js";
import { METHODS } from "./protocol/methods.js";

/**
 * Opens `grpc://host:port/…`. If the path names a dataset of a service of this library, the dataset is opened. Any
 * other path opens the flight of this name, or the flights below it. Without a path all listed flights are opened.
 * @throws {NotFoundError} if the service cannot be reached, or has no flight there.
 * @throws {InvalidInputError} for any other URI, and if the service needs credentials.
 */
export async function openFlight(
  uri: string,
  connect: Connect,
  { signal, ...options }: FlightOptions & { readonly signal?: AbortSignal } = {},
): Promise<RemoteDataset> {
  const connections = await FlightConnections.open(uri, connect, options);
  const call = { signal };
  return runWithLocation({ source: uri }, async () => {
    try {
      return await new Opening(connections, uri, options, call).open();
    } catch (error) {
      connections.close();
      throw error;
    }
  });
}

class Opening {
  readonly #connections: FlightConnections;
  readonly #source: string;
  readonly #options: FlightOptions;
  readonly #call: CallOptions;
  readonly #tables = new Map<string, DataTable>();
  readonly #failures = new Map<string, AnnarrowError>();

  constructor(connections: FlightConnections, source: string, options: FlightOptions, call: CallOptions) {
    this.#connections = connections;
    this.#source = source;
    this.#options = options;
    this.#call = call;
  }

  async open(): Promise<RemoteDataset> {
    const { main } = this.#connections;
    const { path } = parseFlightLocation(this.#source);
    const own = path.length === 0 ? null : await inspectDataset(main, path.join("/"), this.#call);
    if (own !== null) return await this.#own(own);
    const one = path.length === 0 ? null : await findFlight(main, path, this.#call);
    const flights = one === null ? await this.#listed(path) : [one];
    if (flights.length === 0 && path.length > 0) {
      throw createFlightNotFoundError(path, this.#source, await this.#listed([]));
    }
    for (const flight of flights) await this.#add(flight.name, () => this.#table(flight));
    return this.#opened({ format: "tables", version: "", shape: null, warnings: [] });
  }

  async #own(dataset: InspectedDataset): Promise<RemoteDataset> {
    const { main } = this.#connections;
    const { format, version, shape, warnings, tables, failures, name } = dataset;
    const criteria = encodeJsonBytes({ prefix: `${name}/` });
    const path = name.split("/");
    const listed = new Map(
      (await listFlightsBelow(main, path, criteria, this.#call)).map((flight) => [flight.name, flight.info]),
    );
    for (const [element, error] of failures) this.#failures.set(element, error);
    const origin = { source: this.#source, format, tables: this.#tables };
    for (const table of tables) {
      await this.#add(table.name, async () => {
        const descriptor: FlightDescriptor = { kind: "path", path: [...path, table.name] };
        const info = listed.get(table.name) ?? (await main.unary(METHODS.getFlightInfo, descriptor, this.#call));
        const command = { dataset: name, table: table.name };
        return this.#flightTable(info, { ...table, descriptor, command, origin });
      });
    }
    return this.#opened({ format, version, shape, warnings });
  }

  #table({ name, descriptor, info }: ListedFlight): Promise<FlightTable> {
    const origin = { source: this.#source, format: "tables", tables: this.#tables } as const;
    const plain = { command: null, derived: false, axis: null, layouts: [] };
    return this.#flightTable(info, { name, descriptor, origin, ...plain });
  }

  async #flightTable(
    info: FlightInfo,
    known: Omit<ConstructorParameters<typeof FlightTable>[1], "schema" | "rows" | "metadata">,
  ): Promise<FlightTable> {
    const schema = await readFlightSchema(this.#connections.main, info, known.descriptor, this.#call);
    const rows = info.totalRecords < 0 ? null : info.totalRecords;
    const properties = { ...known, schema, rows, metadata: parseTableMetadata(schema.schema) };
    return new FlightTable(this.#connections, properties, this.#options.streams);
  }

  /** Adds a table. A table that cannot be opened is recorded as a failure, and the others remain available. */
  async #add(name: string, open: () => Promise<DataTable>): Promise<void> {
    try {
      this.#tables.set(name, await open());
    } catch (error) {
      if (this.#call.signal?.aborted || !isAnnarrowError(error)) throw error;
      this.#failures.set(name, error);
    }
  }

  async #listed(path: readonly string[]): Promise<readonly ListedFlight[]> {
    try {
      return await listFlightsBelow(this.#connections.main, path, new Uint8Array(0), this.#call);
    } catch (error) {
      if (isFlightServiceError(error)) throw error;
      // A service need not list its flights.
      if (path.length > 0) return [];
      throw new InvalidDataError("the service lists no flights; name one, as in grpc://host:port/name", {
        cause: error,
      });
    }
  }

  #opened(known: Pick<RemoteDataset, "format" | "version" | "shape" | "warnings">): RemoteDataset {
    return {
      ...known,
      container: "flight",
      source: this.#source,
      tables: this.#tables,
      failures: this.#failures,
      close: async () => this.#connections.close(),
    };
  }
}

// Describes a dataset of a service of this library, by calling the action `inspect`. The response is validated.

interface InspectedTable {
  readonly name: string;
  readonly derived: boolean;
  readonly axis: "row" | "col" | null;
  readonly layouts: readonly Layout[];
}

interface InspectedDataset {
  readonly name: string;
  readonly format: Format;
  readonly version: string;
  readonly shape: readonly [number, number] | null;
  readonly tables: readonly InspectedTable[];
  readonly failures: ReadonlyMap<string, AnnarrowError>;
  readonly warnings: readonly string[];
}

const LAYOUTS: readonly Layout[] = ["coordinate", "list", "dense", "columns"];

/** Returns the dataset `name`; null for services of other libraries or if the service has no such dataset. */
async function inspectDataset(
  connection: FlightConnection,
  name: string,
  options: CallOptions,
): Promise<InspectedDataset | null> {
  const body = encodeJsonBytes({ dataset: name });
  try {
    for await (const result of connection.stream(METHODS.doAction, { type: "inspect", body }, options)) {
      return datasetOf(result.body);
    }
  } catch (error) {
    if (isFlightServiceError(error)) throw error;
  }
  return null;
}

/** Returns null for a response in another form. Other services may have an action with this name. */
function datasetOf(bytes: Uint8Array): InspectedDataset | null {
  let content: unknown;
  try {
    content = readJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
  if (!isJsonObject(content)) return null;
  const { name, version, shape, tables, failures, warnings } = content;
  const format = findFormat(content.format);
  if (typeof name !== "string" || format === null || !Array.isArray(tables)) return null;
  return {
    name,
    format: format.name,
    version: typeof version === "string" ? version : "",
    shape: isShape(shape) ? shape : null,
    tables: tables.map(tableOf),
    failures: new Map(Array.isArray(failures) ? failures.map(failureOf) : []),
    warnings: Array.isArray(warnings) ? warnings.filter((one) => typeof one === "string") : [],
  };
}

function tableOf(content: unknown): InspectedTable {
  if (!isJsonObject(content) || typeof content.name !== "string") throw new InvalidDataError("a table without a name");
  const { name, derived, axis, layouts } = content;
  return {
    name,
    derived: derived === true,
    axis: axis === "row" || axis === "col" ? axis : null,
    layouts: Array.isArray(layouts) ? LAYOUTS.filter((known) => layouts.includes(known)).sort(by(layouts)) : [],
  };
}

/** Sorts layouts in the order of the service, which lists the current layout first. */
function by(layouts: readonly unknown[]): (a: Layout, b: Layout) => number {
  return (a, b) => layouts.indexOf(a) - layouts.indexOf(b);
}

function failureOf(content: unknown): [string, AnnarrowError] {
  if (!isJsonObject(content) || typeof content.name !== "string" || typeof content.message !== "string") {
    throw new InvalidDataError("an element that failed without its name and message");
  }
  return [content.name, errorOf(content.error, content.message)];
}

function errorOf(tag: unknown, message: string): AnnarrowError {
  switch (tag) {
    case "NotFoundError":
      return new NotFoundError(message);
    case "UnsupportedError":
      return new UnsupportedError(message);
    case "InvalidInputError":
      return new InvalidInputError(message);
    case "MissingDependencyError":
      return new MissingDependencyError(message);
    default:
      return new InvalidDataError(message);
  }
}

function isShape(shape: unknown): shape is readonly [number, number] {
  return Array.isArray(shape) && shape.length === 2 && shape.every((size) => Number.isSafeInteger(size) && size >= 0);
}
