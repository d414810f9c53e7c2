/**
 * Refuses all statements except queries, by keyword. The refusal only gives a clear message. The actual protection is
 * DuckDB's locked configuration, in a database that is discarded after the statement.
 */

import { findQueryProblem, QUERY_VERBS } from "annarrow/core/query";
import { RequestError } from "../requests/failure.js";

/**
 * Checks that `sql` is one query.
 * @throws {RequestError} for an empty text, for several statements, and for any statement that is not a query.
 */
export function checkQuery(sql: string): void {
  const problem = findQueryProblem(sql);
  if (problem === null) return;
  switch (problem.kind) {
    case "empty":
      throw new RequestError("invalid", "the statement is empty");
    case "several":
      throw new RequestError("invalid", "there are several statements: send one at a time");
    case "other": {
      const verb = problem.verb?.toUpperCase().slice(0, 50) ?? "this";
      throw new RequestError(
        "forbidden",
        `${verb} is refused: this server takes queries alone, which begin with ${QUERY_VERBS.join(", ")} or explain`,
      );
    }
    default:
      problem satisfies never;
  }
}
