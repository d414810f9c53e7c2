/** Exports for other packages: `@annarrow/flight`. */

export type { FlightOptions } from "./flight/connection.js";
export type { PipeOptions } from "./serve/pipe/pipe-request.js";
export { HTTP_STATUS, RequestError, toFailure } from "./serve/requests/failure.js";
export { createJsonLog, getErrorFields } from "./serve/requests/log.js";
export { checkQuery } from "./serve/statements/query-only.js";
