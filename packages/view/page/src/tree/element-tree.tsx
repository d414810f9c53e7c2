/** The elements of the input as a tree, with type, size, a search that filters it, and arrow-key navigation. */

import type { ViewTable } from "annarrow/view";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { TabProps } from "../state/view.js";
import { buildTree, searchTree, seenNodes, type TreeNode } from "./build-tree.js";
import { sizeOf, tagOf } from "./element-tags.js";

type Node = TreeNode<ViewTable>;

/** Folders with more elements than this are initially collapsed. */
const MANY = 8;

export function ElementTree({ view, opened }: TabProps) {
  const [search, setSearch] = useState("");
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState<string | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const { tables, failures } = opened.description;
  const tree = useMemo(() => buildTree(tables, failures), [tables, failures]);
  const current = view.table.value;

  const isOpen = (node: Node) => {
    const opens = search !== "" || countOf(node) <= MANY || node.label === "mod" || current.startsWith(`${node.path}/`);
    return node.children.length > 0 && opens !== toggled.has(node.path);
  };
  const seen = seenNodes(searchTree(tree, search), isOpen);
  const at = Math.max(
    seen.findIndex(({ path }) => path === focused),
    focused === null ? seen.findIndex(({ path }) => path === current) : 0,
    0,
  );

  const toggle = (node: Node) => {
    const next = new Set(toggled);
    if (!next.delete(node.path)) next.add(node.path);
    setToggled(next);
  };
  const choose = (node: Node) => {
    setFocused(node.path);
    if (node.element === null) {
      toggle(node);
      return;
    }
    view.table.value = node.path;
    view.tab.value = "table";
  };
  const focus = (index: number) => {
    const node = seen[Math.min(Math.max(index, 0), seen.length - 1)];
    if (node === undefined) return;
    setFocused(node.path);
    list.current?.querySelectorAll<HTMLElement>("[role=treeitem]")[seen.indexOf(node)]?.focus();
  };
  const move = (event: KeyboardEvent) => {
    const node = seen[at];
    if (node === undefined) return;
    const isFolder = node.children.length > 0;
    if (event.key === "ArrowDown") focus(at + 1);
    else if (event.key === "ArrowUp") focus(at - 1);
    else if (event.key === "Home") focus(0);
    else if (event.key === "End") focus(seen.length - 1);
    else if (event.key === "Enter" || event.key === " ") choose(node);
    else if (event.key === "ArrowRight" && isFolder) isOpen(node) ? focus(at + 1) : toggle(node);
    else if (event.key === "ArrowLeft" && isFolder && isOpen(node)) toggle(node);
    else if (event.key === "ArrowLeft") focus(seen.findIndex(({ path }) => node.path.startsWith(`${path}/`)));
    else return;
    event.preventDefault();
  };

  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [current]);

  return (
    <div class="tree">
      <input
        type="search"
        aria-label="Search elements"
        placeholder="Search elements"
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      <div role="tree" aria-label="Elements" ref={list}>
        {seen.map((node, index) => (
          <TreeRow
            key={node.path}
            node={node}
            isOpen={isOpen(node)}
            isCurrent={node.path === current}
            isTabStop={index === at}
            choose={() => choose(node)}
            toggle={() => toggle(node)}
            move={move}
          />
        ))}
      </div>
      {seen.length === 0 && <p class="quiet-text">No element has this name.</p>}
    </div>
  );
}

interface TreeRowProps {
  readonly node: Node;
  readonly isOpen: boolean;
  readonly isCurrent: boolean;
  readonly isTabStop: boolean;
  choose(): void;
  toggle(): void;
  move(event: KeyboardEvent): void;
}

function TreeRow({ node, isOpen, isCurrent, isTabStop, choose, toggle, move }: TreeRowProps) {
  const { path, label, level, element, failure, children } = node;
  const isFolder = children.length > 0;
  return (
    <div
      role="treeitem"
      class={`tree-row${failure === null ? "" : " failed"}`}
      aria-level={level}
      aria-selected={isCurrent}
      {...(isFolder ? { "aria-expanded": isOpen } : {})}
      tabIndex={isTabStop ? 0 : -1}
      title={failure === null ? path : `${path} cannot be read: ${failure}`}
      style={{ paddingLeft: `${(level - 1) * 14 + 4}px` }}
      onKeyDown={move}
      onClick={(event) => {
        const isTwist = event.target instanceof Element && event.target.classList.contains("twist");
        if (isTwist && isFolder) toggle();
        else choose();
      }}
    >
      <span class="twist" aria-hidden="true">
        {isFolder ? (isOpen ? "▾" : "▸") : ""}
      </span>
      <span class="tree-label">{label}</span>
      {element !== null && <span class="tree-size">{sizeOf(element)}</span>}
      {element !== null && <span class={`tag tag-${tagOf(element.kind)}`}>{tagOf(element.kind)}</span>}
      {failure !== null && <span class="tree-failure">{failure}</span>}
    </div>
  );
}

function countOf(node: Node): number {
  return node.children.reduce((sum, child) => sum + 1 + countOf(child), 0);
}
