// What a screen shows instead of its data: loading, nothing there, an error.

import type { ComponentChildren } from "preact";

import { Button } from "./button.tsx";
import { CopyButton } from "./copy_button.tsx";
import { Icon, type IconName } from "./icons.tsx";
import { SafeText } from "./safe_text.tsx";

/** A turning circle. `label` is read out. */
export function Spinner({ label = "Loading" }: { label?: string }) {
  return (
    <span class="ui-spinner-box" role="status">
      <span class="ui-spinner" aria-hidden="true" />
      <span class="visually-hidden">{label}</span>
    </span>
  );
}

export interface SkeletonProps {
  /** Rows of placeholders. */
  lines?: number;
  label?: string;
}

/** Grey lines in place of rows that are on their way. */
export function Skeleton({ lines = 6, label = "Loading" }: SkeletonProps) {
  return (
    <div class="ui-skeleton" role="status">
      <span class="visually-hidden">{label}</span>
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} class="ui-skeleton-line" style={{ width: `${92 - ((index * 37) % 55)}%` }} aria-hidden="true" />
      ))}
    </div>
  );
}

export interface EmptyProps {
  title: string;
  children?: ComponentChildren;
  icon?: IconName;
  actions?: ComponentChildren;
  /** Commands or code to copy. */
  snippets?: { title: string; text: string }[];
  /** 1 if the screen has no other heading. */
  level?: 1 | 2;
}

/** Says that nothing is there and what to do about it. */
export function Empty({ title, children, icon = "search", actions, snippets = [], level = 2 }: EmptyProps) {
  const Heading = level === 1 ? "h1" : "h2";
  return (
    <section class="ui-empty">
      <Icon name={icon} size={24} class="ui-empty-icon" />
      <Heading class="ui-empty-title">{title}</Heading>
      {children && <div class="ui-empty-text">{children}</div>}
      {actions && <div class="ui-empty-actions">{actions}</div>}
      {snippets.map((snippet) => <Snippet key={snippet.title} {...snippet} />)}
    </section>
  );
}

/** Code with its title and a button that copies it. */
export function Snippet({ title, text }: { title: string; text: string }) {
  return (
    <figure class="ui-snippet">
      <figcaption>
        {title}
        <CopyButton text={text} label={`Copy ${title}`} />
      </figcaption>
      <pre tabIndex={0} aria-label={title}><code>{text}</code></pre>
    </figure>
  );
}

export interface ErrorNoteProps {
  /** What did not work: `The calls could not be loaded`. */
  title: string;
  /** The server's words. */
  message?: string | null;
  requestId?: string | null;
  onRetry?: () => void;
  /** True while the retry runs. */
  retrying?: boolean;
  /** What can be done, if the reader can do something. */
  children?: ComponentChildren;
}

export function ErrorNote({ title, message, requestId, onRetry, retrying = false, children }: ErrorNoteProps) {
  return (
    <div class="ui-error-note" role="alert">
      <Icon name="alert" class="ui-tone-error" />
      <div class="ui-error-body">
        <strong>{title}</strong>
        {message && <p><SafeText text={message} /></p>}
        {children}
        {requestId && (
          <p class="ui-error-id">
            Request <code><SafeText text={requestId} /></code>
            <CopyButton text={requestId} label="Copy the request id" />
          </p>
        )}
      </div>
      {onRetry && <Button icon="refresh" busy={retrying} onClick={onRetry}>Try again</Button>}
    </div>
  );
}
