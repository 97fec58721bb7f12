// Reads the text of a filter.
//
//   filter  = all { "OR" all }           all  = item { ["AND"] item }
//   item    = ("-" | "NOT") item | "(" filter ")" | text | term
//   term    = field ":" ( "*" | ["=" | "~"] value { "," value } | (">" | ">=" | "<" | "<=") value | [value] ".." [value] )

import { type Token, tokenize } from "./tokens.ts";
import { type Filter, FilterError, type Place, type Term, type TermOperator, type Value, junction, negated } from "./tree.ts";

const MAX_CHARACTERS = 8192;
const MAX_LEAVES = 200;
const MAX_DEPTH = 32;

class Parser {
  private index = 0;
  private leaves = 0;
  private depth = 0;

  constructor(private readonly source: string, private readonly tokens: Token[]) {}

  run(): Filter {
    const filter = this.any();
    const rest = this.peek();
    if (rest) {
      throw new FilterError("This parenthesis closes nothing", rest, 'Remove it, or write it in quotes: ")".');
    }
    return filter;
  }

  private peek(): Token | undefined {
    return this.tokens[this.index];
  }

  private any(): Filter {
    const items = [this.all()];
    while (this.peek()?.kind === "or") {
      this.index += 1;
      items.push(this.all());
    }
    return junction("or", items);
  }

  private all(): Filter {
    const items: Filter[] = [];
    for (;;) {
      const token = this.peek();
      if (token?.kind === "and") {
        if (items.length === 0) throw this.missingOperand(token);
        this.index += 1;
        const next = this.peek();
        if (!next || next.kind === "or" || next.kind === "close" || next.kind === "and") throw this.missingOperand(token);
        continue;
      }
      if (!token || token.kind === "or" || token.kind === "close") break;
      items.push(this.item(token));
    }
    if (items.length === 0) throw this.missingOperand(this.peek() ?? this.tokens[this.index - 1]);
    return junction("and", items);
  }

  private missingOperand(token: Token | undefined): FilterError {
    const place = token ?? { from: 0, to: this.source.length };
    if (token?.kind === "close" || token?.kind === "open") {
      return new FilterError("Nothing is between the parentheses", place, "Write a condition such as status:error between them.");
    }
    return new FilterError(
      "A condition is missing here", place, 'AND and OR stand between two conditions. In quotes they are texts: "OR".',
    );
  }

  private item(token: Token): Filter {
    if (token.kind === "not") return this.not(token);
    if (token.kind === "open") return this.group(token);
    this.leaves += 1;
    if (this.leaves > MAX_LEAVES) {
      throw new FilterError(`A filter has at most ${MAX_LEAVES} conditions`, token, "Remove conditions, or list values: id:a,b,c.");
    }
    if (token.kind === "field") return this.term(token);
    this.index += 1;
    this.checkEnd(token);
    if (token.text === "") throw new FilterError("The text is empty", token, 'Write the text to find: "refund".');
    return { kind: "text", text: token.text, place: placeOf(token) };
  }

  private not(sign: Token): Filter {
    this.index += 1;
    const next = this.peek();
    const attached = sign.text !== "-" || next?.from === sign.to;
    if (!next || !attached || next.kind === "or" || next.kind === "and" || next.kind === "close") {
      throw new FilterError("Nothing follows the negation", sign, 'Write it before a condition: -status:error, -"refund", -(a OR b).');
    }
    return this.nested(sign, () => {
      const item = this.item(next);
      return negated(item, { from: sign.from, to: this.tokens[this.index - 1]?.to ?? sign.to });
    });
  }

  private group(open: Token): Filter {
    const before = this.source[open.from - 1];
    if (before !== undefined && !/[\s(-]/.test(before)) {
      throw new FilterError("A space is missing before the parenthesis", open, 'Write quotes if it belongs to the value: op:"f(x)".');
    }
    this.index += 1;
    return this.nested(open, () => {
      const filter = this.any();
      if (this.peek()?.kind !== "close") {
        throw new FilterError("This parenthesis is not closed", open, 'Add a ), or write it in quotes: "(".');
      }
      this.index += 1;
      return filter;
    });
  }

  private nested(token: Token, read: () => Filter): Filter {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) throw new FilterError(`Parentheses nest at most ${MAX_DEPTH} deep`, token, "Use fewer parentheses.");
    const filter = read();
    this.depth -= 1;
    return filter;
  }

  private term(field: Token): Term {
    if (field.text === "") throw new FilterError("The field has no name", field, "Write a name before the colon: status:error.");
    this.index += 1;
    const sign = this.tokens[this.index];
    const parts: Token[] = [];
    this.index += 1;
    let end = sign?.to ?? field.to;
    for (;;) {
      const token = this.peek();
      if (!token || !["value", "comma", "dots"].includes(token.kind)) break;
      parts.push(token);
      end = token.to;
      this.index += 1;
    }
    this.checkEnd(parts.at(-1) ?? sign ?? field);
    const operator = (sign?.text ?? "is") as TermOperator;
    const place = { from: field.from, to: end };
    const base = { kind: "term" as const, field: field.text, place, fieldPlace: placeOf(field) };
    return { ...base, ...this.operand(operator, parts, field.text, { from: end, to: end }) };
  }

  private operand(operator: TermOperator, parts: Token[], field: string, end: Place): { operator: TermOperator; values: Value[] } {
    const dots = parts.find(({ kind }) => kind === "dots");
    if (dots) return this.range(operator, parts, dots);
    const values = parts.filter(({ kind }) => kind === "value");
    const commas = parts.length - values.length;
    const empty = values.find(({ text, quoted }) => text === "" && !quoted);
    if (values.length === 0 || empty || commas >= values.length) {
      const place = empty ?? { from: Math.max(0, end.from - 1), to: end.to };
      throw new FilterError(`The value of ${field} is missing`, place, `Write ${field}:value, or ${field}:* for any value.`);
    }
    if (values.length > 1 && !["is", "=", "~"].includes(operator)) {
      throw new FilterError("A comparison takes one value", values[1] ?? end, `Write ${field}:${operator}${values[0]?.text ?? ""} alone.`);
    }
    const [only] = values;
    if (operator === "is" && values.length === 1 && only && !only.quoted && only.text === "*") return { operator: "present", values: [] };
    return { operator, values: values.map(valueOf) };
  }

  private range(operator: TermOperator, parts: Token[], dots: Token): { operator: TermOperator; values: Value[] } {
    if (operator !== "is") {
      throw new FilterError("A range has no further operator", dots, 'Write 1s..5s, or quotes if the dots belong to a text: "a..b".');
    }
    const index = parts.indexOf(dots);
    const [start, finish] = [parts.slice(0, index), parts.slice(index + 1)];
    if (start.length > 1 || finish.length > 1) {
      throw new FilterError("A range cannot be part of a list", dots, "Write (latency:1s..2s OR latency:5s..6s).");
    }
    const [low, high] = [start[0], finish[0]];
    if (low && high) return { operator: "range", values: [valueOf(low), valueOf(high)] };
    if (low) return { operator: ">=", values: [valueOf(low)] };
    if (high) return { operator: "<=", values: [valueOf(high)] };
    throw new FilterError("The range has no bounds", dots, "Write 1s..5s, 1s.. or ..5s.");
  }

  /** Rejects an open quote, and a value or text that goes on after its closing quote. */
  private checkEnd(token: Token): void {
    if (token.open) throw new FilterError("This quote is not closed", token, 'Add a " at the end.');
    const next = this.peek();
    if (next && next.from === token.to && next.kind !== "close" && next.kind !== "open") {
      throw new FilterError("A space is missing here", next, 'Put the whole text in quotes, and write \\" for a quote inside.');
    }
  }
}

function placeOf({ from, to }: Place): Place {
  return { from, to };
}

function valueOf(token: Token): Value {
  if (token.open) throw new FilterError("This quote is not closed", token, 'Add a " at the end.');
  return { text: token.text, quoted: token.quoted, place: placeOf(token) };
}

/** Reads a filter; an empty text is null. @throws FilterError */
export function parseFilter(source: string): Filter | null {
  if (source.trim() === "") return null;
  if (source.length > MAX_CHARACTERS) {
    throw new FilterError(`A filter has at most ${MAX_CHARACTERS} characters`, { from: MAX_CHARACTERS, to: source.length }, "Shorten it.");
  }
  return new Parser(source, tokenize(source)).run();
}
