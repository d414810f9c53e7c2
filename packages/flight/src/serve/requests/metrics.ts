/** The server's counters, in the text format of Prometheus. */

type Labels = Readonly<Record<string, string>>;
type Kind = "counter" | "gauge";

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly kind: Kind;
  readonly values: Map<string, number>;
}

export class Metrics {
  readonly #metrics: Metric[] = [];
  readonly #gauges: { readonly metric: Metric; readonly read: () => number }[] = [];

  readonly requests = this.#add(
    "annarrow_requests_total",
    "Requests that ended, by protocol, method and status.",
    "counter",
  );
  readonly bytes = this.#add("annarrow_sent_bytes_total", "Bytes of Arrow data that were sent.", "counter");
  readonly rows = this.#add("annarrow_sent_rows_total", "Rows that were sent.", "counter");
  readonly received = this.#add("annarrow_received_bytes_total", "Bytes of uploads.", "counter");
  readonly seconds = this.#add(
    "annarrow_request_seconds_total",
    "Time that requests took, by protocol and method.",
    "counter",
  );

  /** Adds a value that is read each time the metrics are requested. */
  gauge(name: string, help: string, read: () => number): void {
    this.#gauges.push({ metric: this.#add(name, help, "gauge"), read });
  }

  add(metric: Metric, value = 1, labels: Labels = {}): void {
    const key = labelText(labels);
    metric.values.set(key, (metric.values.get(key) ?? 0) + value);
  }

  text(): string {
    for (const { metric, read } of this.#gauges) metric.values.set("", read());
    const lines = this.#metrics.flatMap(({ name, help, kind, values }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${kind}`,
      ...[...values].map(([labels, value]) => `${name}${labels} ${value}`),
    ]);
    return `${lines.join("\n")}\n`;
  }

  #add(name: string, help: string, kind: Kind): Metric {
    const metric = { name, help, kind, values: new Map<string, number>() };
    this.#metrics.push(metric);
    return metric;
  }
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`,
  );
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}
