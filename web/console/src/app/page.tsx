// The usual layout of a screen: heading with actions, then sections. Screens that fill the window do without.

import type { ComponentChildren } from "preact";

import type { ApiError } from "../api/errors";
import { ErrorNote, Skeleton } from "../ui/feedback";
import { Hidden } from "./not_found";
import { InPage } from "./screen";

export interface PageProps {
  title: ComponentChildren;
  /** One sentence under the title. */
  lead?: ComponentChildren;
  /** Buttons at the end of the heading. */
  actions?: ComponentChildren;
  children: ComponentChildren;
  /** Narrow for forms, wide for tables. */
  width?: "narrow" | "normal" | "full";
}

export function Page({ title, lead, actions, children, width = "normal" }: PageProps) {
  return (
    <div class={`page page-${width}`}>
      <div class="page-head">
        <div class="page-titles">
          <h1>{title}</h1>
          {lead && <p class="page-lead">{lead}</p>}
        </div>
        {actions && <div class="page-actions">{actions}</div>}
      </div>
      <InPage.Provider value>{children}</InPage.Provider>
    </div>
  );
}

export interface SectionProps {
  title: string;
  lead?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

export function Section({ title, lead, actions, children }: SectionProps) {
  return (
    <section class="section">
      <div class="section-head">
        <div>
          <h2>{title}</h2>
          {lead && <p class="section-lead">{lead}</p>}
        </div>
        {actions && <div class="section-actions">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

export interface LoadedProps<T> {
  state: { data: T | undefined; error: ApiError | null; loading: boolean; refetching: boolean; refetch: () => void };
  /** What is loaded, for messages: "project", "trace". */
  what: string;
  children: (data: T) => ComponentChildren;
  /** Rows of the placeholder. */
  lines?: number;
}

/** Shows loading, hidden (404) and failed reads; with data, the children. Old data stays beside an error. */
export function Loaded<T>({ state, what, children, lines = 6 }: LoadedProps<T>) {
  const { data, error, refetch, refetching } = state;
  const note = error && (
    <ErrorNote
      title={`The ${what} could not be read`}
      message={error.message}
      requestId={error.requestId}
      onRetry={refetch}
      retrying={refetching}
    />
  );
  if (data !== undefined) return <>{note}{children(data)}</>;
  if (error?.missing) return <Hidden what={what} />;
  if (note) return note;
  return <Skeleton lines={lines} label={`Loading the ${what}`} />;
}
