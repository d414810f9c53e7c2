/** Builds a tree of an input's elements from their names. */

export interface TreeElement {
  readonly name: string;
  readonly kind: string;
  readonly rows: number | null;
  readonly shape: readonly number[] | null;
  readonly columns: number;
}

export interface TreeNode<E = TreeElement> {
  /** Full path, such as `layers/counts`. */
  readonly path: string;
  /** Last segment of the path. */
  readonly label: string;
  /** Depth, starting at 1 for the outermost level. */
  readonly level: number;
  /** Null for a folder that is not an element. */
  readonly element: E | null;
  /** Error of reading the element. */
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

/** Builds a tree of readable and failed elements, in the order of first appearance. */
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

/** Returns the nodes whose path contains a text, with all parents and descendants. */
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

/** Returns the visible nodes from top to bottom. */
export function seenNodes<E>(nodes: readonly TreeNode<E>[], isOpen: (node: TreeNode<E>) => boolean): TreeNode<E>[] {
  return nodes.flatMap((node) => [node, ...(isOpen(node) ? seenNodes(node.children, isOpen) : [])]);
}
