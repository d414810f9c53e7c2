/** The headers by which a browser confines the page: it loads nothing from elsewhere, and nobody embeds it. */

/**
 * The headers of every answer.
 * @param frameOrigins origins whose pages may show the page in a frame, as a notebook does.
 */
export function securityHeaders(frameOrigins: readonly string[]): ReadonlyMap<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameOrigins.length === 0 ? "'none'" : frameOrigins.join(" ")}`,
  ];
  return new Map([
    ["content-security-policy", policy.join("; ")],
    ["x-content-type-options", "nosniff"],
    ["referrer-policy", "no-referrer"],
    ["cross-origin-opener-policy", "same-origin"],
    ["cross-origin-resource-policy", "same-origin"],
    ["permissions-policy", "camera=(), geolocation=(), microphone=()"],
    ...(frameOrigins.length === 0 ? [["x-frame-options", "DENY"] as const] : []),
  ]);
}

/** An origin as a browser writes it: a scheme, a host and perhaps a port, which may be `*`. */
export function isOrigin(text: string): boolean {
  const plain = text.replace(/:\*$/, ":1");
  return URL.canParse(plain) && /^https?:$/.test(new URL(plain).protocol) && new URL(plain).origin === plain;
}
