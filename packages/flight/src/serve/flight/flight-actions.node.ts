/** The actions of the Flight service. */

import {
  type Action,
  type ActionResult,
  type ActionType,
  CANCEL_FLIGHT_INFO,
  encodeJsonBytes,
  RENEW_FLIGHT_ENDPOINT,
  readCancelFlightInfo,
  readRenewEndpoint,
  writeCancelResult,
} from "../../flight/protocol/action.js";
import { type FlightEndpoint, writeEndpoint } from "../../flight/protocol/flight-info.js";
import { joinParts } from "../../flight/protocol/proto-writer.js";
import type { ServerCall } from "../../flight/protocol/service.js";
import { readSqlMessage } from "../../flight/protocol/sql/any.js";
import type { Serving } from "../answers/serving.node.js";
import { describeDataset } from "../datasets/describe.js";
import { RequestError } from "../requests/failure.js";
import { parseClientMessage, parseObject, refuseOthers } from "../requests/request.js";
import { parseDatasetNames } from "./flight-requests.js";
import { type FlightSql, isSqlAction, SQL_ACTIONS } from "./sql/flight-sql.node.js";

/** Actions of annarrow, and actions that the protocol defines. */
export const ACTIONS: readonly ActionType[] = [
  { type: "inspect", description: 'What a dataset holds, as JSON; body {"dataset": "pbmc.h5ad"}' },
  {
    type: "commit",
    description: 'Writes an uploaded dataset; body {"dataset": "new.h5ad", "upload": "…", "overwrite": false}',
  },
  { type: "abort", description: 'Drops an upload; body {"dataset": "new.h5ad", "upload": "…"}' },
  { type: "cancel", description: "Ends the streams of a ticket, which is the body, and takes it no more" },
  { type: "health", description: "Whether the server answers, as JSON; no body" },
  { type: CANCEL_FLIGHT_INFO, description: "Ends the streams of all tickets of a flight" },
  { type: RENEW_FLIGHT_ENDPOINT, description: "A ticket for the same rows that is taken for longer" },
  ...SQL_ACTIONS,
];

/** Keys of the body of `commit`. */
const COMMIT = ["dataset", "upload", "overwrite"];

export class FlightActions {
  readonly #serving: Serving;
  readonly #sql: FlightSql;

  constructor(serving: Serving, sql: FlightSql) {
    this.#serving = serving;
    this.#sql = sql;
  }

  async *run({ type, body }: Action, call: ServerCall): AsyncGenerator<ActionResult> {
    const { uploads, datasets, running, tickets } = this.#serving;
    if (isSqlAction(type)) {
      yield* this.#sql.action(type, body, call, (endpoints) => this.#cancel(endpoints));
      return;
    }
    switch (type) {
      case "inspect": {
        const { dataset: path } = parseDatasetNames(parseObject(body, "the body"), "the body", ["dataset"]);
        const description = await this.#serving.look(call.signal, async () => {
          const { dataset, found, rest, release } = await datasets.borrow(path);
          try {
            if (rest !== "")
              throw new RequestError("not-found", `nothing is served as ${JSON.stringify(path.join("/"))}`);
            return describeDataset(found.name, dataset);
          } finally {
            release();
          }
        });
        yield { body: encodeJsonBytes(description) };
        return;
      }
      case "commit": {
        refuseReadOnly(this.#serving);
        const { overwrite = false, ...name } = parseObject(body, "the body");
        if (typeof overwrite !== "boolean") throw new RequestError("invalid", "overwrite must be true or false");
        yield {
          body: encodeJsonBytes(
            await uploads.commit(parseDatasetNames(name, "the body", COMMIT), overwrite, call.signal),
          ),
        };
        return;
      }
      case "abort":
        refuseReadOnly(this.#serving);
        await uploads.abort(parseDatasetNames(parseObject(body, "the body"), "the body", ["dataset", "upload"]));
        return;
      case "cancel":
        tickets.open(body);
        running.cancel(body);
        return;
      case "health":
        if (body.length > 0) refuseOthers(parseObject(body, "the body"), "the body", []);
        yield { body: encodeJsonBytes(this.#serving.health()) };
        return;
      case CANCEL_FLIGHT_INFO: {
        const { endpoints } = parseClientMessage(body, readCancelFlightInfo);
        this.#cancel(endpoints);
        yield { body: joinParts(writeCancelResult("cancelled").finish()) };
        return;
      }
      case RENEW_FLIGHT_ENDPOINT: {
        const endpoint = parseClientMessage(body, readRenewEndpoint);
        const expires = Date.now() + this.#serving.endpoints.ticketTime;
        const ticket = { ticket: tickets.renew(endpoint.ticket.ticket, expires) };
        yield { body: joinParts(writeEndpoint({ ...endpoint, ticket, expirationTime: new Date(expires) }).finish()) };
        return;
      }
      default:
        throw new RequestError(
          "unimplemented",
          `no action ${JSON.stringify(type.slice(0, 100))}; there are ${ACTIONS.map((one) => one.type).join(", ")}`,
        );
    }
  }

  /** Ends the streams of endpoints. Streams of small tables with information about the server end by themselves. */
  #cancel(endpoints: readonly FlightEndpoint[]): void {
    const { tickets, running } = this.#serving;
    const signed = endpoints.map(({ ticket }) => ticket.ticket).filter((one) => readSqlMessage(one) === null);
    for (const ticket of signed) tickets.open(ticket);
    for (const ticket of signed) running.cancel(ticket);
  }
}

/** @throws {RequestError} if the server accepts no uploads. */
export function refuseReadOnly({ isReadOnly }: Serving): void {
  if (isReadOnly) throw new RequestError("forbidden", "this server only reads");
}
