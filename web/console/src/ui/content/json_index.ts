// Rows of JSON text. The index points into the text and never parses values, so numbers keep their spelling and a text
// of 20 MB costs no copy. It is built in steps, so that a large text shows its first rows at once.

export const enum RowKind {
  /** A scalar or an empty container: one row. */
  Value = 0,
  /** The first row of a container; `partner` is its last row. */
  Open = 1,
  /** The last row of a container; `partner` is its first row. */
  Close = 2,
}

export interface JsonError {
  position: number;
  message: string;
}

const NO_PARENT = 0xffffffff;
/** What stands after a row is known only when its container ends; until then it counts as unfinished. */
export const UNFINISHED = 0xffffffff;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const SPACE = /[ \t\n\r]*/y;
/** Rows between two looks at the clock. */
const STEP = 2000;

export class JsonIndex {
  rows = 0;
  done = false;
  error: JsonError | null = null;

  private capacity = 1024;
  private starts = new Uint32Array(this.capacity);
  private values = new Uint32Array(this.capacity);
  private ends = new Uint32Array(this.capacity);
  private partners = new Uint32Array(this.capacity);
  private parents = new Uint32Array(this.capacity);
  private ordinals = new Uint32Array(this.capacity);
  private counts = new Uint32Array(this.capacity);
  private depths = new Uint32Array(this.capacity);
  private kinds = new Uint8Array(this.capacity);

  private at = 0;
  private readonly stack: number[] = [];
  private begun = false;

  constructor(readonly text: string) {}

  /** Builds for about `milliseconds`. Returns true when the index is complete. */
  build(milliseconds = Infinity): boolean {
    const until = milliseconds === Infinity ? Infinity : performance.now() + milliseconds;
    while (!this.done) {
      for (let i = 0; i < STEP && !this.done; i++) this.next();
      if (until !== Infinity && performance.now() >= until) break;
    }
    return this.done;
  }

  kind(row: number): RowKind {
    return this.kinds[row]!;
  }
  depth(row: number): number {
    return this.depths[row]!;
  }
  partner(row: number): number {
    return this.partners[row]!;
  }
  parent(row: number): number {
    return this.parents[row] === NO_PARENT ? -1 : this.parents[row]!;
  }
  /** The number of items of a container. */
  count(row: number): number {
    return this.counts[row]!;
  }
  start(row: number): number {
    return this.starts[row]!;
  }
  /** The end of the row's value in the text; of the whole container for its first row, once it is known. */
  end(row: number): number {
    return this.ends[row]!;
  }
  isArray(row: number): boolean {
    return this.text[this.values[row]!] === "[";
  }
  /** True if a comma follows the row's value. */
  hasComma(row: number): boolean {
    const owner = this.kind(row) === RowKind.Close ? this.partner(row) : row;
    const parent = this.parent(owner);
    return parent >= 0 && this.kind(row) !== RowKind.Open && this.ordinals[owner]! + 1 < this.counts[parent]!;
  }

  /** The member name with its quotes, as it is written; null in arrays and at the top. */
  key(row: number): string | null {
    const [start, value] = [this.starts[row]!, this.values[row]!];
    if (this.kind(row) === RowKind.Close || start === value) return null;
    return this.text.slice(start, this.text.lastIndexOf('"', value - 1) + 1);
  }

  /** The value as it is written, at most `limit` characters. Containers give their bracket. */
  value(row: number, limit = Infinity): string {
    const start = this.values[row]!;
    if (this.kind(row) !== RowKind.Value) return this.text[start] ?? "";
    return this.text.slice(start, Math.min(this.ends[row]!, start + limit));
  }

  valueLength(row: number): number {
    return this.ends[row]! === UNFINISHED ? this.text.length - this.values[row]! : this.ends[row]! - this.values[row]!;
  }

  /** The text of the whole value, for copying. */
  source(row: number): string {
    const open = this.kind(row) === RowKind.Close ? this.partner(row) : row;
    const end = this.ends[open]!;
    return this.text.slice(this.values[open]!, end === UNFINISHED ? this.text.length : end);
  }

  /** The decoded text of a string, or null for another value. */
  decoded(row: number): string | null {
    if (this.kind(row) !== RowKind.Value || this.text[this.values[row]!] !== '"') return null;
    try {
      return JSON.parse(this.value(row)) as string;
    } catch {
      return this.value(row).slice(1, -1);
    }
  }

  /** The path in the filter language's form: `messages.0.content`; a dot in a name is `\.`. */
  path(row: number): string {
    const parts: string[] = [];
    let node = this.kind(row) === RowKind.Close ? this.partner(row) : row;
    for (let parent = this.parent(node); parent >= 0; parent = this.parent(node)) {
      const key = this.key(node);
      parts.push(key === null ? String(this.ordinals[node]) : decodedKey(key).replaceAll(".", "\\."));
      node = parent;
    }
    return parts.reverse().join(".");
  }

  /** The place of an item in its array, or -1. */
  itemNumber(row: number): number {
    const parent = this.parent(row);
    return parent >= 0 && this.kind(row) !== RowKind.Close && this.isArray(parent) ? this.ordinals[row]! : -1;
  }

  /** Returns the row that contains a position of the text. */
  rowAt(position: number): number {
    let low = 0;
    let high = this.rows - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle]! <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  private next(): void {
    const owner = this.stack.at(-1);
    this.skip();
    if (owner === undefined) {
      if (this.begun) return this.at < this.text.length ? this.fail("Text follows the value") : this.finish();
      this.begun = true;
      return this.item(this.at);
    }
    const close = this.isArray(owner) ? "]" : "}";
    if (this.text[this.at] === close) return this.close(owner);
    if (this.counts[owner]! > 0) {
      if (this.text[this.at] !== ",") return this.fail(`A comma or ${close} is missing`);
      this.at += 1;
      this.skip();
    }
    const start = this.at;
    if (close === "}") {
      if (this.text[this.at] !== '"') return this.fail("A member name in quotes is missing");
      if (!this.string()) return undefined;
      this.skip();
      if (this.text[this.at] !== ":") return this.fail("A colon is missing");
      this.at += 1;
      this.skip();
    }
    return this.item(start);
  }

  private item(start: number): void {
    const value = this.at;
    const first = this.text[value];
    if (first === "{" || first === "[") {
      this.at += 1;
      this.skip();
      if (this.text[this.at] === (first === "{" ? "}" : "]")) {
        this.at += 1;
        this.add(start, value, this.at, RowKind.Value);
        return;
      }
      const row = this.add(start, value, UNFINISHED, RowKind.Open);
      this.stack.push(row);
      return;
    }
    if (first === '"') {
      if (this.string()) this.add(start, value, this.at, RowKind.Value);
      return;
    }
    const pattern = first === "-" || (first !== undefined && first >= "0" && first <= "9") ? NUMBER : WORD;
    pattern.lastIndex = value;
    if (!pattern.test(this.text)) return this.fail(first === undefined ? "The text ends too early" : "A value is missing");
    this.at = pattern.lastIndex;
    this.add(start, value, this.at, RowKind.Value);
  }

  private close(owner: number): void {
    const position = this.at;
    this.at += 1;
    this.stack.pop();
    this.ends[owner] = this.at;
    const row = this.add(position, position, this.at, RowKind.Close, owner);
    this.partners[owner] = row;
    this.partners[row] = owner;
  }

  private add(start: number, value: number, end: number, kind: RowKind, opened?: number): number {
    const row = this.rows;
    if (row === this.capacity) this.grow();
    const parent = this.stack.at(-1);
    this.starts[row] = start;
    this.values[row] = value;
    this.ends[row] = end;
    this.kinds[row] = kind;
    this.partners[row] = UNFINISHED;
    this.parents[row] = parent ?? NO_PARENT;
    this.depths[row] = opened === undefined ? this.stack.length : this.depths[opened]!;
    if (kind !== RowKind.Close && parent !== undefined) this.ordinals[row] = this.counts[parent]!++;
    this.rows += 1;
    return row;
  }

  private grow(): void {
    this.capacity *= 2;
    const wide = (old: Uint32Array) => {
      const fresh = new Uint32Array(this.capacity);
      fresh.set(old);
      return fresh;
    };
    this.starts = wide(this.starts);
    this.values = wide(this.values);
    this.ends = wide(this.ends);
    this.partners = wide(this.partners);
    this.parents = wide(this.parents);
    this.ordinals = wide(this.ordinals);
    this.counts = wide(this.counts);
    this.depths = wide(this.depths);
    const kinds = new Uint8Array(this.capacity);
    kinds.set(this.kinds);
    this.kinds = kinds;
  }

  private skip(): void {
    const code = this.text.charCodeAt(this.at);
    if (code > 0x20) return;
    SPACE.lastIndex = this.at;
    SPACE.test(this.text);
    this.at = SPACE.lastIndex;
  }

  /** Moves behind the string that starts here. */
  private string(): boolean {
    let end = this.at;
    for (;;) {
      end = this.text.indexOf('"', end + 1);
      if (end < 0) {
        this.fail("A quote is not closed");
        return false;
      }
      let slashes = 0;
      while (this.text.charCodeAt(end - 1 - slashes) === 0x5c) slashes += 1;
      if (slashes % 2 === 0) break;
    }
    this.at = end + 1;
    return true;
  }

  private fail(message: string): void {
    this.error = { position: this.at, message };
    this.finish();
  }

  private finish(): void {
    this.done = true;
  }
}

function decodedKey(key: string): string {
  try {
    return JSON.parse(key) as string;
  } catch {
    return key.slice(1, -1);
  }
}
