// The rows of a tree given as parent indexes: order, depth, open and closed nodes, and filters. Works on arrays of
// numbers, so that 10,000 nodes open and close within a frame.

export class TreeModel {
  readonly count: number;
  /** Nodes in the order of a full listing; a node stands before its children. */
  readonly order: Int32Array;
  readonly depth: Int32Array;
  /** The number of nodes below a node. */
  readonly below: Int32Array;
  readonly children: Int32Array;
  readonly parent: Int32Array;
  private readonly closed: Uint8Array;
  private readonly position: Int32Array;
  private rows: Int32Array | null = null;
  private kept: Uint8Array | null = null;

  /**
   * @param parents the index of each node's parent, or -1. A parent that does not exist or a cycle makes a root.
   * @param rank children are ordered by this value, then by index; usually their start time
   */
  constructor(parents: ArrayLike<number>, rank?: ArrayLike<number>) {
    this.count = parents.length;
    this.parent = this.checkedParents(parents);
    this.order = new Int32Array(this.count);
    this.depth = new Int32Array(this.count);
    this.below = new Int32Array(this.count);
    this.children = new Int32Array(this.count);
    this.closed = new Uint8Array(this.count);
    this.position = new Int32Array(this.count);
    this.list(rank);
  }

  private checkedParents(parents: ArrayLike<number>): Int32Array {
    const result = new Int32Array(this.count);
    for (let i = 0; i < this.count; i++) {
      const parent = parents[i] ?? -1;
      result[i] = Number.isInteger(parent) && parent >= 0 && parent < this.count && parent !== i ? parent : -1;
    }
    // Each walk marks its nodes with its own number; meeting that number again is a cycle.
    const walk = new Int32Array(this.count);
    for (let start = 0; start < this.count; start++) {
      let node = start;
      while (node >= 0 && walk[node] === 0) {
        walk[node] = start + 1;
        node = result[node]!;
      }
      if (node >= 0 && walk[node] === start + 1) result[node] = -1;
    }
    return result;
  }

  private list(rank: ArrayLike<number> | undefined): void {
    const { count, parent } = this;
    const sorted = Array.from({ length: count }, (_, i) => i);
    if (rank) sorted.sort((a, b) => (rank[a] ?? 0) - (rank[b] ?? 0) || a - b);
    const first = new Int32Array(count).fill(-1);
    const next = new Int32Array(count).fill(-1);
    let root = -1;
    for (let i = count - 1; i >= 0; i--) {
      const node = sorted[i]!;
      const above = parent[node]!;
      if (above < 0) {
        next[node] = root;
        root = node;
      } else {
        next[node] = first[above]!;
        first[above] = node;
        this.children[above]! += 1;
      }
    }
    let at = 0;
    let node = root;
    while (node >= 0) {
      this.position[node] = at;
      this.order[at++] = node;
      this.depth[node] = parent[node]! < 0 ? 0 : this.depth[parent[node]!]! + 1;
      if (first[node]! >= 0) node = first[node]!;
      else {
        while (node >= 0 && next[node]! < 0) node = parent[node]!;
        if (node >= 0) node = next[node]!;
      }
    }
    for (let i = count - 1; i >= 0; i--) {
      const node = this.order[i]!;
      const above = parent[node]!;
      if (above >= 0) this.below[above]! += this.below[node]! + 1;
    }
  }

  isOpen(node: number): boolean {
    return this.closed[node] === 0;
  }

  /** The nodes of the visible rows. */
  visible(): Int32Array {
    if (this.rows) return this.rows;
    const { order, below, closed, kept } = this;
    const rows = new Int32Array(this.count);
    let length = 0;
    for (let i = 0; i < this.count; ) {
      const node = order[i]!;
      // A node without kept nodes below it is not kept itself, so its whole subtree is skipped.
      if (kept && kept[node] === 0) {
        i += below[node]! + 1;
        continue;
      }
      rows[length++] = node;
      i += closed[node] ? below[node]! + 1 : 1;
    }
    this.rows = rows.subarray(0, length);
    return this.rows;
  }

  setOpen(node: number, open: boolean): void {
    this.closed[node] = open ? 0 : 1;
    this.rows = null;
  }

  setAllOpen(open: boolean, belowDepth = 0): void {
    for (let node = 0; node < this.count; node++) {
      this.closed[node] = open || this.children[node] === 0 || this.depth[node]! < belowDepth ? 0 : 1;
    }
    this.rows = null;
  }

  /** Shows only the nodes that pass and the nodes above them; null shows all. Returns the number that pass. */
  filter(passes: ((node: number) => boolean) | null): number {
    this.rows = null;
    this.kept = null;
    if (!passes) return this.count;
    const kept = new Uint8Array(this.count);
    let passed = 0;
    for (let node = 0; node < this.count; node++) {
      if (!passes(node)) continue;
      passed += 1;
      for (let above = node; above >= 0 && kept[above] === 0; above = this.parent[above]!) kept[above] = 1;
    }
    this.kept = kept;
    return passed;
  }

  /** Opens everything above a node, so that it is visible. Returns its row, or -1 when a filter hides it. */
  reveal(node: number): number {
    for (let above = this.parent[node]!; above >= 0; above = this.parent[above]!) this.closed[above] = 0;
    this.rows = null;
    return this.rowOf(node);
  }

  /** Returns the visible row of a node, or -1. */
  rowOf(node: number): number {
    const rows = this.visible();
    const wanted = this.position[node]!;
    let low = 0;
    let high = rows.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const place = this.position[rows[middle]!]!;
      if (place === wanted) return middle;
      if (place < wanted) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }
}
