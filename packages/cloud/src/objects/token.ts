/** OAuth access tokens in requests. */

/**
 * Returns the header with a token; empty without a token. If the token is a function, it is called for every request,
 * and must cache the token itself.
 */
export async function getBearerHeader(
  token: string | (() => Promise<string>) | undefined,
): Promise<Readonly<Record<string, string>>> {
  const text = typeof token === "function" ? await token() : token;
  return text === undefined || text === "" ? {} : { authorization: `Bearer ${text}` };
}

export function withHeaders(init: RequestInit | undefined, more: Readonly<Record<string, string>>): RequestInit {
  const headers = new Headers(init?.headers);
  for (const [name, value] of Object.entries(more)) headers.set(name, value);
  return { ...init, headers };
}

/** Returns the URL that was passed to `fetch`. */
export function getRequestedUrl(input: RequestInfo | URL): URL {
  return new URL(input instanceof Request ? input.url : input);
}
