/** Selects the response format of rows over HTTP by the header `accept` or the parameter `format`. */

import type { TextFormat } from "../requests/answer.js";
import { RequestError } from "../requests/failure.js";

export type ResponseFormat = "arrow" | TextFormat;

export const CONTENT_TYPE: Readonly<Record<ResponseFormat, string>> = {
  arrow: "application/vnd.apache.arrow.stream",
  csv: "text/csv; charset=utf-8",
  json: "application/x-ndjson",
};

const FORMS: ReadonlyMap<string, ResponseFormat> = new Map([
  ["application/vnd.apache.arrow.stream", "arrow"],
  ["application/*", "arrow"],
  ["*/*", "arrow"],
  ["text/csv", "csv"],
  ["text/*", "csv"],
  ["application/x-ndjson", "json"],
  ["application/ndjson", "json"],
  ["application/jsonl", "json"],
  ["application/json-lines", "json"],
]);

/** @throws {RequestError} if none of the forms is accepted. */
export function pickResponseForm(accept: string | undefined, format: string | null): ResponseFormat {
  if (format !== null) {
    if (format === "arrow" || format === "csv" || format === "json") return format;
    throw new RequestError(
      "invalid",
      `format is ${JSON.stringify(format.slice(0, 100))}; it must be arrow, csv or json`,
    );
  }
  if (accept === undefined || accept.trim() === "") return "arrow";
  let best: ResponseFormat | null = null;
  let weight = 0;
  for (const part of accept.split(",").slice(0, 100)) {
    const [type = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const form = FORMS.get(type);
    const quality = parameters.find((text) => text.startsWith("q="));
    const q = quality === undefined ? 1 : Number(quality.slice(2));
    if (form !== undefined && q > weight) [best, weight] = [form, q];
  }
  if (best === null) {
    throw new RequestError(
      "not-acceptable",
      `there are ${Object.values(CONTENT_TYPE).join(", ")}; not ${JSON.stringify(accept.slice(0, 100))}`,
    );
  }
  return best;
}
