// Saved views as preferences and objects hold them.

import type { ObjectVersion } from "../../api/objects";
import { viewSearch } from "./explorer_codecs";

export interface SavedView {
  id: string;
  label: string;
  /** The part of the address that the view fills. */
  search: string;
  shared: boolean;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a name that the server takes for an object. */
export function objectName(label: string): string {
  const plain = label.normalize("NFKD").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 100);
  return `view-${plain || "unnamed"}`;
}

/** Reads the private views of a project from the preferences. */
export function privateViews(preferences: Record<string, unknown>, project: string): SavedView[] {
  const all = preferences.traceViews;
  const list = isObject(all) ? all[project] : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    if (!isObject(item) || typeof item.id !== "string" || typeof item.label !== "string" || typeof item.search !== "string") return [];
    return [{ id: item.id, label: item.label, search: viewSearch(item.search), shared: false }];
  });
}

/** Reads a shared view; null for views that other programs stored. */
export function sharedView({ object_id: id, val }: Pick<ObjectVersion, "object_id" | "val">): SavedView | null {
  if (!isObject(val) || val.view_type !== "traces" || typeof val.label !== "string" || !isObject(val.definition)) return null;
  const { search } = val.definition;
  return typeof search === "string" ? { id, label: val.label, search: viewSearch(search), shared: true } : null;
}
