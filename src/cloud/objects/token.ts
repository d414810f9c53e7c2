/** Access tokens of OAuth in requests. */

/** The header with a token; none without one. A function is asked for every request, and keeps the token itself. */
export async function bearer(
  token: string | (() => Promise<string>) | undefined,
): Promise<Readonly<Record<string, string>>> {
  const text = typeof token === "function" ? await token() : token;
  return text === undefined || text === "" ? {} : { authorization: `Bearer ${text}` };
}

/** A request's headers with some more. */
export function withHeaders(init: RequestInit | undefined, more: Readonly<Record<string, string>>): RequestInit {
  const headers = new Headers(init?.headers);
  for (const [name, value] of Object.entries(more)) headers.set(name, value);
  return { ...init, headers };
}

/** The URL that a `fetch` was called with. */
export function requestedUrl(input: RequestInfo | URL): URL {
  return new URL(input instanceof Request ? input.url : input);
}
