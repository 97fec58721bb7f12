// Splits the text of a filter into tokens. Every character belongs to a token or is a space between tokens, so that an
// input can colour them and suggestions know where the caret is.

import { lookup } from "../format/lookup.ts";
import { FilterError, type Place, type TermOperator } from "./tree.ts";

export type TokenKind = "open" | "close" | "not" | "and" | "or" | "text" | "field" | "operator" | "value" | "comma" | "dots";

export interface Token extends Place {
  kind: TokenKind;
  /** The decoded text of a field, value or text; the operator of an operator. */
  text: string;
  quoted: boolean;
  /** True for a quoted text without its closing quote. */
  open?: boolean;
}

const WORDS = lookup<TokenKind>({ AND: "and", OR: "or", NOT: "not" });
const OPERATORS: TermOperator[] = [">=", "<=", ">", "<", "=", "~"];
const ESCAPES: Record<string, string> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\" };

/** Characters that end a word without quotes. */
const WORD_END = /[\s"()]/;
const VALUE_END = /[\s"(),]/;

class Tokenizer {
  readonly tokens: Token[] = [];
  private at = 0;

  constructor(private readonly source: string) {}

  run(): Token[] {
    while (this.at < this.source.length) {
      if (/\s/.test(this.source[this.at] ?? "")) this.at += 1;
      else this.item();
    }
    return this.tokens;
  }

  private item(): void {
    const character = this.source[this.at];
    if (character === "(" || character === ")") {
      this.add(character === "(" ? "open" : "close", this.at, this.at + 1);
    } else if (character === "-") {
      this.add("not", this.at, this.at + 1);
    } else if (character === '"') {
      const quoted = this.quoted("text");
      if (this.source[this.at] === ":" && !quoted.open) {
        quoted.kind = "field";
        this.values();
      }
    } else this.word();
  }

  private word(): void {
    const from = this.at;
    let end = from;
    while (end < this.source.length && !WORD_END.test(this.source[end] ?? "") && this.source[end] !== ":") end += 1;
    // `https://…` is a text, not the field `https`.
    const isField = end > from && this.source[end] === ":" && !this.source.startsWith("//", end + 1);
    if (isField) {
      this.add("field", from, end);
      this.values();
      return;
    }
    while (end < this.source.length && !WORD_END.test(this.source[end] ?? "")) end += 1;
    const word = this.source.slice(from, end);
    this.add(WORDS[word] ?? "text", from, end);
  }

  /** Reads `:`, an operator and the values behind a field. */
  private values(): void {
    const operator = OPERATORS.find((sign) => this.source.startsWith(sign, this.at + 1)) ?? "";
    this.add("operator", this.at, this.at + 1 + operator.length, operator || "is");
    for (;;) {
      const before = this.tokens.length;
      this.value();
      if (this.source[this.at] !== ",") return;
      // `a:,b` and `a:1,,2` have an empty value between the signs; the parser reports it.
      if (this.tokens.length === before) this.add("value", this.at, this.at);
      this.add("comma", this.at, this.at + 1);
    }
  }

  private value(): void {
    this.bound();
    if (this.isDots(this.at)) {
      this.add("dots", this.at, this.at + 2);
      this.bound();
    }
  }

  private bound(): void {
    if (this.source[this.at] === '"') {
      this.quoted("value");
      return;
    }
    let end = this.at;
    while (end < this.source.length && !VALUE_END.test(this.source[end] ?? "") && !this.isDots(end)) end += 1;
    if (end > this.at) this.add("value", this.at, end);
  }

  private isDots(at: number): boolean {
    return this.source.startsWith("..", at) && this.source[at + 2] !== "." && this.source[at - 1] !== ".";
  }

  private quoted(kind: TokenKind): Token {
    const from = this.at;
    let text = "";
    let at = from + 1;
    while (at < this.source.length && this.source[at] !== '"') {
      if (this.source[at] === "\\" && at + 1 < this.source.length) {
        const escape = ESCAPES[this.source[at + 1] ?? ""];
        if (escape === undefined) {
          throw new FilterError(
            `\\${this.source[at + 1]} is no escape`, { from: at, to: at + 2 }, "Write \\\\ for a backslash, \\\" for a quote, \\n for a line break.",
          );
        }
        text += escape;
        at += 2;
      } else {
        text += this.source[at];
        at += 1;
      }
    }
    const open = at >= this.source.length;
    const token: Token = { kind, text, quoted: true, from, to: open ? at : at + 1, ...(open ? { open } : {}) };
    this.tokens.push(token);
    this.at = token.to;
    return token;
  }

  private add(kind: TokenKind, from: number, to: number, text = this.source.slice(from, to)): void {
    this.tokens.push({ kind, text, quoted: false, from, to });
    this.at = to;
  }
}

/** @throws FilterError for an unknown escape. An open quote is a token with `open`. */
export function tokenize(source: string): Token[] {
  return new Tokenizer(source).run();
}
