// The project that the navigation shows: the one of the address, or the last one on screens outside projects.

import { computed, signal } from "@preact/signals";

const KEY = "spindle.project";

export const navigationProject = signal<string | null>(localStorage.getItem(KEY));

export const navigationTeam = computed(() => navigationProject.value?.split("/")[0] ?? null);

/** Shows a project (`team/project`) in the navigation and remembers it; null forgets it. */
export function setNavigationProject(project: string | null): void {
  navigationProject.value = project;
  if (project === null) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, project);
}
