/** Errors where a service refuses access. */

import { UnsupportedError } from "../../model/errors.js";
import { problemText } from "./request.js";

/**
 * Passes an answer on, unless it refuses access.
 * @param reasonOf finds the service's own words in the text of the answer.
 * @param remedy what the caller may do.
 * @throws {UnsupportedError} with both.
 */
export async function unlessRefused(
  response: Response,
  store: string,
  reasonOf: (text: string) => string,
  remedy: string,
): Promise<Response> {
  if (response.status !== 401 && response.status !== 403) return response;
  const reason = reasonOf(await problemText(response)) || `the service answered ${response.status}`;
  throw new UnsupportedError(`no access to ${store}: ${reason}; ${remedy}`);
}
