/** The elements of an input as a tree by the parts of their names. */

/** What the tree tells of an element. */
export interface TreeElement {
  readonly name: string;
  readonly kind: string;
  readonly rows: number | null;
  readonly shape: readonly number[] | null;
  readonly columns: number;
}

export interface TreeNode<E = TreeElement> {
  /** Whole name, as `layers/counts`. */
  readonly path: string;
  /** Last part of it. */
  readonly label: string;
  /** From 1 for the outermost. */
  readonly level: number;
  /** Null for a folder that is no element itself. */
  readonly element: E | null;
  /** Why the element cannot be read. */
  readonly failure: string | null;
  readonly children: readonly TreeNode<E>[];
}

interface Growing<E> {
  path: string;
  label: string;
  level: number;
  element: E | null;
  failure: string | null;
  children: Growing<E>[];
}

/** A tree of elements and of those that failed, in the order in which their names are first seen. */
export function buildTree<E extends { readonly name: string }>(
  elements: readonly E[],
  failures: readonly { readonly name: string; readonly message: string }[],
): readonly TreeNode<E>[] {
  const roots: Growing<E>[] = [];
  const known = new Map<string, Growing<E>>();
  const nodeAt = (path: string): Growing<E> => {
    const found = known.get(path);
    if (found !== undefined) return found;
    const cut = path.lastIndexOf("/");
    const parent = cut <= 0 ? null : nodeAt(path.slice(0, cut));
    const node: Growing<E> = {
      path,
      label: cut <= 0 ? path : path.slice(cut + 1),
      level: parent === null ? 1 : parent.level + 1,
      element: null,
      failure: null,
      children: [],
    };
    known.set(path, node);
    (parent?.children ?? roots).push(node);
    return node;
  };
  for (const element of elements) nodeAt(element.name).element = element;
  for (const { name, message } of failures) nodeAt(name).failure = message;
  return roots;
}

/** The nodes whose path contains a text, with all nodes above them; nodes below a found one stay too. */
export function searchTree<E>(nodes: readonly TreeNode<E>[], text: string): readonly TreeNode<E>[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return nodes;
  const kept = (node: TreeNode<E>): TreeNode<E>[] => {
    if (node.path.toLowerCase().includes(wanted)) return [node];
    const children = node.children.flatMap(kept);
    return children.length === 0 ? [] : [{ ...node, children }];
  };
  return nodes.flatMap(kept);
}

/** The nodes that are seen, from above to below. */
export function seenNodes<E>(nodes: readonly TreeNode<E>[], isOpen: (node: TreeNode<E>) => boolean): TreeNode<E>[] {
  return nodes.flatMap((node) => [node, ...(isOpen(node) ? seenNodes(node.children, isOpen) : [])]);
}
