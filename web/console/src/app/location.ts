// Addresses inside the console and moving between them. Paths here begin at the console: "/p/acme/support".

import { consolePath } from "../api/urls";

/** Returns the address of a path of the console, for `<a href>`. */
export function href(path: string, query: Record<string, string | undefined> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== "") search.set(name, value);
  const text = search.toString();
  return `${consolePath()}${path.replace(/^\//, "")}${text === "" ? "" : `?${text}`}`;
}

/** Returns the path of the console that an address of this server names: "/" for `/console`. */
export function innerPath(pathname: string): string {
  const base = consolePath();
  if (`${pathname}/` === base) return "/";
  return pathname.startsWith(base) ? `/${pathname.slice(base.length)}` : pathname;
}

function segment(text: string): string {
  return encodeURIComponent(text);
}

function inProject(project: string, rest: string): string {
  return `/p/${project.split("/").map(segment).join("/")}/${rest}`;
}

/** The paths of screens. Pass them to href(). `project` is `team/project`. */
export const paths = {
  home: () => "/",
  traces: (project: string) => inProject(project, "traces"),
  trace: (project: string, id: string) => inProject(project, `traces/${segment(id)}`),
  compare: (project: string) => inProject(project, "compare"),
  threads: (project: string, id = "") => inProject(project, `threads${id && `/${segment(id)}`}`),
  agents: (project: string, name = "") => inProject(project, `agents${name && `/${segment(name)}`}`),
  search: (project: string) => inProject(project, "search"),
  datasets: (project: string, id = "") => inProject(project, `datasets${id && `/${segment(id)}`}`),
  objects: (project: string, kind = "", id = "") =>
    inProject(project, `objects${kind && `/${segment(kind)}`}${id && `/${segment(id)}`}`),
  evals: (project: string, run = "") => inProject(project, `evals${run && `/${segment(run)}`}`),
  evalCompare: (project: string) => inProject(project, "evals/compare"),
  queues: (project: string, id = "") => inProject(project, `queues${id && `/${segment(id)}`}`),
  playground: (project: string) => inProject(project, "playground"),
  training: (project: string) => inProject(project, "training"),
  trainingJob: (project: string, job: string) => inProject(project, `training/${segment(job)}`),
  models: (project: string, name = "") => inProject(project, `models${name && `/${segment(name)}`}`),
  runs: (project: string, id = "") => inProject(project, `runs${id && `/${segment(id)}`}`),
  artifacts: (project: string, collection = "", version = "") =>
    inProject(project, `artifacts${collection && `/${segment(collection)}`}${version && `/${segment(version)}`}`),
  projectSettings: (project: string) => inProject(project, "settings"),
  registries: (registry = "", collection = "", version = "") =>
    `/registries${[registry, collection, version].map((part) => part && `/${segment(part)}`).join("")}`,
  webhooks: (team: string, id = "") => `/t/${segment(team)}/webhooks${id && `/${segment(id)}`}`,
  automations: (team: string, id = "") => `/t/${segment(team)}/automations${id && `/${segment(id)}`}`,
  deliveries: (team: string) => `/t/${segment(team)}/deliveries`,
  delivery: (id: string) => `/deliveries/${segment(id)}`,
  team: (team: string) => `/t/${segment(team)}`,
  inference: () => "/inference",
  usage: () => "/usage",
  admin: () => "/admin",
  me: () => "/me",
  login: () => "/login",
  resolve: (ref: string) => `/r/${segment(ref)}`,
};

type Route = (url: string, replace?: boolean) => void;

let route: Route = (url, replace) => {
  if (replace) location.replace(url);
  else location.assign(url);
};

/** Connects navigate() with the router; app.tsx calls it. */
export function setRoute(next: Route): void {
  route = next;
}

/** Goes to a path of the console. */
export function navigate(path: string, options: { replace?: boolean; query?: Record<string, string | undefined> } = {}): void {
  route(href(path, options.query), options.replace);
}

/** Goes to an address of the console as href() makes it. */
export function navigateTo(address: string, options: { replace?: boolean } = {}): void {
  route(address, options.replace);
}

/** Returns the address if it leads to a page of the console of this server, otherwise the home page. */
export function safeNext(next: string | null): string {
  if (!next) return href("/");
  const url = new URL(next, location.origin);
  const inside = url.origin === location.origin && innerPath(url.pathname) !== url.pathname;
  return inside ? url.pathname + url.search + url.hash : href("/");
}
