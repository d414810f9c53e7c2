/** Errors for access that a service refuses. */

import { UnsupportedError } from "annarrow";
import { readProblemText } from "./request.js";

/**
 * Returns a response unchanged, unless it refuses access.
 * @param reasonOf finds the service's own reason in the text of the response.
 * @param remedy what the caller can do about the refusal.
 * @throws {UnsupportedError} with reason and remedy, if access is refused.
 */
export async function explainDeniedAccess(
  response: Response,
  store: string,
  reasonOf: (text: string) => string,
  remedy: string,
): Promise<Response> {
  if (response.status !== 401 && response.status !== 403) return response;
  const reason = reasonOf(await readProblemText(response)) || `the service answered ${response.status}`;
  throw new UnsupportedError(`no access to ${store}: ${reason}; ${remedy}`);
}
