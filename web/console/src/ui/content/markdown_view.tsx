// Markdown as elements of an allow-list. Only marked's lexer is used; HTML in the source is shown as text, and images are
// never loaded.

import { type Token, type Tokens, lexer } from "marked";
import type { ComponentChildren, JSX } from "preact";
import { useMemo } from "preact/hooks";

import { CopyButton } from "../copy_button.tsx";
import { SafeText } from "../safe_text.tsx";
import { safeHref } from "./links.ts";

export interface MarkdownViewProps {
  text: string;
}

/** Longer texts are shown as they are: the lexer and thousands of elements would block the page. */
export const MARKDOWN_LIMIT = 40_000;
const MAX_DEPTH = 24;
const MAX_TOKENS = 20_000;

/** Nested quotes and lists make the lexer slow and deep; people do not write them. */
const DEEP = /^[ \t]*(?:>[ \t]?|(?:[-*+]|\d{1,9}[.)])[ \t]+){12}|^[ \t]{200}|[[*_`~]{200}/m;

/** Returns the tokens, or null for a text that is better shown as it is. */
export function markdownTokens(text: string): Token[] | null {
  if (text.length > MARKDOWN_LIMIT || DEEP.test(text) || tooManySigns(text)) return null;
  try {
    return lexer(text, { gfm: true });
  } catch {
    return null;
  }
}

/** Starts of blocks whose text the lexer reads on its own: blank lines, list items, quotes, headings, table rows. */
const BLOCK_START = /\n(?=[ \t]*(?:\n|[-*+][ \t]|\d{1,9}[.)][ \t]|>|#|\|))/;
const MAX_SIGNS = 6000;
const MAX_BLOCK_SIGNS = 600;
const MAX_BLOCK_BRACKETS = 150;

/**
 * Brackets and emphasis signs in one block take up to cubic time in the lexer: 1,000 times `[a](` are 3 seconds, 5,000
 * times are minutes. Texts beyond these counts are shown as they are.
 */
function tooManySigns(text: string): boolean {
  let total = 0;
  for (const block of text.split(BLOCK_START)) {
    let signs = 0;
    let brackets = 0;
    for (let i = 0; i < block.length; i++) {
      const code = block.charCodeAt(i);
      if (code === 0x5b) brackets += 1;
      else if (code === 0x2a || code === 0x5f || code === 0x60 || code === 0x7e || code === 0x3c) signs += 1;
    }
    total += signs + brackets;
    if (signs > MAX_BLOCK_SIGNS || brackets > MAX_BLOCK_BRACKETS || total > MAX_SIGNS) return true;
  }
  return false;
}

export function MarkdownView({ text }: MarkdownViewProps) {
  const content = useMemo(() => {
    const tokens = markdownTokens(text);
    return tokens && new Renderer().blocks(tokens, 0);
  }, [text]);
  if (!content) return <pre class="ui-plain"><SafeText text={text} /></pre>;
  return <div class="ui-markdown">{content}</div>;
}

/** marked escapes HTML in some tokens; text nodes need the characters themselves. */
function unescaped(text: string): string {
  return text.replace(/&(lt|gt|quot|amp|#39);/g, (_, name: string) => ({ lt: "<", gt: ">", quot: '"', amp: "&", "#39": "'" })[name] ?? "");
}

class Renderer {
  private tokens = 0;

  blocks(tokens: Token[], depth: number): ComponentChildren {
    return tokens.map((token, index) => this.block(token, index, depth));
  }

  /** Counts tokens; beyond the limits the source text stands for the token. */
  private beyond(depth: number): boolean {
    this.tokens += 1;
    return depth > MAX_DEPTH || this.tokens > MAX_TOKENS;
  }

  private block(token: Token, key: number, depth: number): ComponentChildren {
    if (this.beyond(depth)) return <p key={key}><SafeText text={token.raw} /></p>;
    const inner = () => this.inlines((token as Tokens.Generic).tokens ?? [], depth + 1);
    switch (token.type) {
      case "space":
      case "def":
        return null;
      case "heading": {
        // Content must not take part in the page's outline at the top.
        const Level = `h${Math.min(6, (token as Tokens.Heading).depth + 2)}` as "h3";
        return <Level key={key}>{inner()}</Level>;
      }
      case "paragraph":
        return <p key={key}>{inner()}</p>;
      case "text":
        return (token as Tokens.Text).tokens ? <p key={key}>{inner()}</p> : <p key={key}><SafeText text={unescaped((token as Tokens.Text).text)} /></p>;
      case "code":
        return <CodeBlock key={key} text={(token as Tokens.Code).text} language={(token as Tokens.Code).lang ?? ""} />;
      case "blockquote":
        return <blockquote key={key}>{this.blocks((token as Tokens.Blockquote).tokens, depth + 1)}</blockquote>;
      case "list":
        return this.list(token as Tokens.List, key, depth);
      case "table":
        return this.table(token as Tokens.Table, key, depth);
      case "hr":
        return <hr key={key} />;
      default:
        return <p key={key} class="ui-markdown-source"><SafeText text={token.raw.trim()} /></p>;
    }
  }

  private list(token: Tokens.List, key: number, depth: number): JSX.Element {
    const items = token.items.map((item, index) => (
      <li key={index} class={item.task ? "ui-task" : undefined}>
        {item.task && <span role="img" aria-label={item.checked ? "done" : "open"}>{item.checked ? "☑ " : "☐ "}</span>}
        {this.items(item.tokens, depth + 1)}
      </li>
    ));
    return token.ordered ? <ol key={key} start={Number(token.start) || 1}>{items}</ol> : <ul key={key}>{items}</ul>;
  }

  /** Texts of a tight list are no paragraphs. */
  private items(tokens: Token[], depth: number): ComponentChildren {
    return tokens.map((token, index) => (token.type === "text"
      ? <span key={index}>{this.inlines((token as Tokens.Text).tokens ?? [token], depth)}</span>
      : this.block(token, index, depth)));
  }

  private table(token: Tokens.Table, key: number, depth: number): JSX.Element {
    const cell = (item: Tokens.TableCell) => this.inlines(item.tokens, depth + 1);
    return (
      <div key={key} class="ui-table-box" role="group" aria-label="Table" tabIndex={0}>
        <table class="ui-table">
          <thead><tr>{token.header.map((item, index) => <th key={index} scope="col">{cell(item)}</th>)}</tr></thead>
          <tbody>{token.rows.map((row, index) => <tr key={index}>{row.map((item, at) => <td key={at}>{cell(item)}</td>)}</tr>)}</tbody>
        </table>
      </div>
    );
  }

  private inlines(tokens: Token[], depth: number): ComponentChildren {
    return tokens.map((token, index) => this.inline(token, index, depth));
  }

  private inline(token: Token, key: number, depth: number): ComponentChildren {
    if (this.beyond(depth)) return <SafeText key={key} text={token.raw} />;
    const inner = () => this.inlines((token as Tokens.Generic).tokens ?? [], depth + 1);
    switch (token.type) {
      case "strong":
        return <strong key={key}>{inner()}</strong>;
      case "em":
        return <em key={key}>{inner()}</em>;
      case "del":
        return <del key={key}>{inner()}</del>;
      case "codespan":
        return <code key={key}><SafeText text={unescaped((token as Tokens.Codespan).text)} /></code>;
      case "br":
        return <br key={key} />;
      case "link":
        return <ContentLink key={key} href={unescaped((token as Tokens.Link).href)} source={token.raw} text={unescaped((token as Tokens.Link).text)}>{inner()}</ContentLink>;
      case "image": {
        const image = token as Tokens.Image;
        const words = `Image: ${image.text || "without a description"}`;
        return <ContentLink key={key} href={unescaped(image.href)} source={token.raw} text={words}><SafeText text={words} /></ContentLink>;
      }
      case "escape":
      case "text":
        return (token as Tokens.Text).tokens ? <span key={key}>{inner()}</span> : <SafeText key={key} text={unescaped((token as Tokens.Text).text)} />;
      default:
        return <SafeText key={key} text={token.raw} />;
    }
  }
}

/** A link with its whole address, so that a reader sees where it leads. Other schemes are shown as source. */
function ContentLink({ href, source, text, children }: { href: string; source: string; text: string; children: ComponentChildren }) {
  const safe = safeHref(href);
  if (safe === null) return <SafeText text={source} />;
  const same = [safe, href, safe.replace(/^mailto:/, ""), safe.replace(/\/$/, "")].includes(text.trim());
  return (
    <>
      <a href={safe} target="_blank" rel="noreferrer noopener">{same ? <SafeText text={safe} /> : children}</a>
      {!same && <span class="ui-link-address"> (<SafeText text={safe} />)</span>}
    </>
  );
}

function CodeBlock({ text, language }: { text: string; language: string }) {
  return (
    <figure class="ui-snippet">
      <figcaption>
        <SafeText text={language || "code"} line />
        <CopyButton text={text} label="Copy the code" />
      </figcaption>
      <pre tabIndex={0} aria-label={language ? `Code, ${language}` : "Code"}><code><SafeText text={text} /></code></pre>
    </figure>
  );
}
