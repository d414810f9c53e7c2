/** Circles among the imports of `src/`: between files, and between the folders that hold them. */

import { posix } from "node:path";
import type { Import } from "./import-graph.js";

/** Imports between folders: an edge for each, types and `import()` included. */
export function betweenFolders(imports: readonly Import[]): Import[] {
  const folder = posix.dirname;
  return imports
    .filter(({ from, to }) => to.endsWith(".ts") && folder(from) !== folder(to))
    .map((edge) => ({ ...edge, from: folder(edge.from), to: folder(edge.to) }));
}

/** Groups of nodes that import each other, directly or by way of others; each sorted. */
export function cyclesOf(edges: readonly Pick<Import, "from" | "to">[]): string[][] {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of edges) next.set(from, (next.get(from) ?? new Set()).add(to));
  const reach = new Map([...next.keys()].map((node) => [node, reachedFrom(node, next)]));
  const groups = new Map<string, string[]>();
  for (const [node, reached] of reach) {
    if (!reached.has(node)) continue;
    const group = [...reached].filter((other) => reach.get(other)?.has(node) === true).sort();
    groups.set(group[0], group);
  }
  return [...groups.values()].sort(([a], [b]) => (a < b ? -1 : 1));
}

function reachedFrom(node: string, next: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set<string>();
  const open = [...(next.get(node) ?? [])];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (reached.has(one)) continue;
    reached.add(one);
    open.push(...(next.get(one) ?? []));
  }
  return reached;
}
