// The table of all screens. Adding one is a line in SCREENS; navigation, palette and router follow.

import { exec } from "preact-iso/router";
import type { ComponentType } from "preact";

import type { ScreenName, ScreenProps } from "./screen";

export interface ScreenEntry {
  title: string;
  load: () => Promise<{ default: ComponentType<ScreenProps> }>;
  /** Without the frame, and open to people who are not signed in. */
  bare?: boolean;
}

const P = "/p/:team/:project";

/** The paths of all screens. The first that fits wins. */
const PATHS: readonly (readonly [path: string, screen: ScreenName])[] = [
  ["/", "home"],
  ["/login", "login"],
  ["/invite", "invitation"],
  [P, "traces"],
  [`${P}/traces`, "traces"],
  [`${P}/traces/:id`, "trace"],
  [`${P}/compare`, "compare"],
  [`${P}/threads/:id?`, "threads"],
  [`${P}/agents/:name?`, "agents"],
  [`${P}/search`, "search"],
  [`${P}/datasets/:id?`, "datasets"],
  [`${P}/objects/:class?/:id?`, "objects"],
  [`${P}/evals/compare`, "eval_compare"],
  [`${P}/evals/:run?`, "evals"],
  [`${P}/queues/:id?`, "queues"],
  [`${P}/playground`, "playground"],
  [`${P}/training`, "training"],
  [`${P}/training/:job`, "training_job"],
  [`${P}/models/:name?`, "models"],
  [`${P}/runs/:id?`, "runs"],
  [`${P}/artifacts/:collection?/:version?`, "artifacts"],
  [`${P}/settings`, "project_settings"],
  ["/registries/:registry?/:collection?/:version?", "registries"],
  ["/t/:team", "team"],
  ["/t/:team/webhooks/:id?", "webhooks"],
  ["/t/:team/automations/:id?", "automations"],
  ["/t/:team/deliveries", "deliveries"],
  ["/deliveries/:id", "deliveries"],
  ["/inference", "inference"],
  ["/usage", "usage"],
  ["/admin", "admin"],
  ["/me", "me"],
  ["/r/:ref+", "resolve"],
];

/** The screens, each loaded when it is first shown. */
const SCREENS: Partial<Record<ScreenName, ScreenEntry>> = {
  home: { title: "Home", load: () => import("../screens/home") },
  login: { title: "Sign in", load: () => import("../screens/login"), bare: true },
  invitation: { title: "Invitation", load: () => import("../screens/invitation"), bare: true },
  me: { title: "Your account", load: () => import("../screens/me") },
  traces: { title: "Traces", load: () => import("../screens/traces") },
  trace: { title: "Trace", load: () => import("../screens/trace") },
  compare: { title: "Compare", load: () => import("../screens/compare") },
  threads: { title: "Threads", load: () => import("../screens/threads") },
  agents: { title: "Agents", load: () => import("../screens/agents") },
  search: { title: "Search", load: () => import("../screens/search") },
  datasets: { title: "Datasets", load: () => import("../screens/datasets") },
  evals: { title: "Evaluations", load: () => import("../screens/evals") },
  eval_compare: { title: "Compare runs", load: () => import("../screens/eval_compare") },
  objects: { title: "Prompts & objects", load: () => import("../screens/objects") },
  playground: { title: "Playground", load: () => import("../screens/playground") },
  queues: { title: "Annotation", load: () => import("../screens/queues") },
  webhooks: { title: "Webhooks", load: () => import("../screens/webhooks") },
  automations: { title: "Automations", load: () => import("../screens/automations") },
  deliveries: { title: "Deliveries", load: () => import("../screens/deliveries") },
  inference: { title: "Inference", load: () => import("../screens/inference") },
  usage: { title: "Usage", load: () => import("../screens/usage") },
  team: { title: "Members & secrets", load: () => import("../screens/team") },
  project_settings: { title: "Project settings", load: () => import("../screens/project_settings") },
  admin: { title: "Administration", load: () => import("../screens/admin") },
  training: { title: "Training", load: () => import("../screens/training") },
  training_job: { title: "Training job", load: () => import("../screens/training_job") },
  models: { title: "Models", load: () => import("../screens/models") },
  runs: { title: "Runs", load: () => import("../screens/runs") },
  artifacts: { title: "Artifacts", load: () => import("../screens/artifacts") },
  registries: { title: "Registries", load: () => import("../screens/registries") },
  resolve: { title: "Find", load: () => import("../screens/resolve") },
};

export interface RouteMatch {
  screen: ScreenName;
  entry: ScreenEntry;
  params: Readonly<Record<string, string | undefined>>;
}

export function hasScreen(screen: ScreenName): boolean {
  return screen in SCREENS;
}

/** Returns the screen of a path inside the console, or null. */
export function matchRoute(path: string): RouteMatch | null {
  for (const [pattern, screen] of PATHS) {
    let match: { params: Record<string, string | undefined> } | undefined;
    try {
      match = exec(path, pattern, { path, query: {}, params: {} });
    } catch {
      // A path that is not valid percent-encoding names nothing.
      return null;
    }
    const entry = SCREENS[screen];
    if (match && entry) return { screen, entry, params: match.params };
  }
  return null;
}
