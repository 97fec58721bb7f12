// What the shell and the screens agree on.

import { createContext } from "preact";
import { useContext, useEffect } from "preact/hooks";
import { signal } from "@preact/signals";

import { navigationProject } from "./place";

/** Folders below src/screens. */
export type ScreenName =
  | "login" | "home" | "traces" | "trace" | "compare" | "threads" | "agents" | "search" | "datasets" | "objects"
  | "evals" | "eval_compare" | "queues" | "playground" | "training" | "training_job" | "models" | "runs"
  | "artifacts" | "registries" | "webhooks" | "automations" | "deliveries" | "inference" | "usage" | "team"
  | "project_settings" | "admin" | "me" | "resolve" | "invitation";

/** Properties of every screen. `params` are the named parts of its path. */
export interface ScreenProps {
  params: Readonly<Record<string, string | undefined>>;
}

export interface Crumb {
  label: string;
  /** An address as href() makes it; without it the crumb is text. */
  href?: string;
}

export interface ActiveRoute {
  screen: ScreenName | null;
  title: string;
  params: Readonly<Record<string, string | undefined>>;
}

export const RouteContext = createContext<ActiveRoute>({ screen: null, title: "", params: {} });

/** True below a `Page`, which has the heading of the screen. */
export const InPage = createContext(false);

export function useActiveRoute(): ActiveRoute {
  return useContext(RouteContext);
}

/** A project of the address: `id` is `team/project`, as the API names it. */
export interface ProjectPlace {
  team: string;
  project: string;
  id: string;
}

/** Returns the project of the screen's address. Only for screens below /p/:team/:project. */
export function useProject(): ProjectPlace {
  const { team = "", project = "" } = useContext(RouteContext).params;
  return { team, project, id: `${team}/${project}` };
}

/** The title and the last breadcrumbs of the screen; null: those of the route. */
export const heading = signal<{ title: string; crumbs: readonly Crumb[] } | null>(null);

/** Sets the title of the document and the breadcrumbs after the area, such as the name of a trace. */
export function useHeading(title: string, crumbs: readonly Crumb[] = [{ label: title }]): void {
  const text = JSON.stringify(crumbs);
  useEffect(() => {
    const mine = { title, crumbs };
    heading.value = mine;
    return () => {
      if (heading.peek() === mine) heading.value = null;
    };
  }, [title, text]);
}

/** Returns the text of the browser's tab. */
export function documentTitle(route: ActiveRoute, title: string | null): string {
  const project = route.params.project ? navigationProject.value : null;
  return [title || route.title, project ?? route.params.team, "Spindle"].filter(Boolean).join(" · ");
}
