/** Formats times and decimals from Arrow's integers, in full precision. */

const DAY = 86_400n;

/** Combines 32-bit words (lowest first, two's complement) to an integer. */
export function integerOf(words: ArrayLike<number>): bigint {
  let value = 0n;
  for (let index = words.length - 1; index >= 0; index--) value = (value << 32n) | BigInt(words[index] >>> 0);
  return BigInt.asIntN(words.length * 32, value);
}

export function decimalText(value: bigint, scale: number): string {
  if (scale <= 0) return String(value * 10n ** BigInt(-scale));
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, "0");
  return `${value < 0n ? "-" : ""}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** Formats a timestamp in units since 1970; `unit` is 0 for seconds, 1 for milli-, 2 for micro-, 3 for nanoseconds. */
export function momentText(value: bigint, unit: number, timezone: string | null): string {
  const perDay = DAY * 10n ** BigInt(3 * unit);
  const days = floorDivided(value, perDay);
  // Arrow stores moments with a zone in UTC.
  const zone = timezone === null ? "" : timezone === "UTC" ? "Z" : `Z (${timezone})`;
  return `${dateText(days)} ${timeText(value - days * perDay, unit)}${zone}`;
}

/** Formats a time of day. */
export function timeText(value: bigint, unit: number): string {
  const perSecond = 10n ** BigInt(3 * unit);
  const seconds = value / perSecond;
  const fraction = unit === 0 ? "" : `.${String(value % perSecond).padStart(3 * unit, "0")}`;
  return `${two(seconds / 3600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}${fraction.replace(/\.?0+$/, "")}`;
}

export function durationText(value: bigint, unit: number): string {
  return `${decimalText(value, 3 * unit)
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "")} s`;
}

/** Formats a date, stored in days (unit 0) or milliseconds (unit 1) since 1970. */
export function dayText(value: bigint, unit: number): string {
  return dateText(unit === 0 ? value : floorDivided(value, DAY * 1000n));
}

function dateText(days: bigint): string {
  const date = new Date(Number(days) * 86_400_000);
  return Number.isNaN(date.getTime()) ? `day ${days}` : date.toISOString().replace(/T.*/, "");
}

function floorDivided(value: bigint, by: bigint): bigint {
  return value / by - (value % by < 0n ? 1n : 0n);
}

function two(value: bigint): string {
  return String(value).padStart(2, "0");
}
