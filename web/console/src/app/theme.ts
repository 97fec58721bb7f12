// The theme: as the system, or chosen. first_paint.ts applies the stored choice before the first paint.

import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const KEY = "spindle.theme";

function stored(): Theme {
  const value = localStorage.getItem(KEY);
  return value === "light" || value === "dark" ? value : "system";
}

export const theme = signal<Theme>(stored());

effect(() => {
  const { value } = theme;
  if (value === "system") {
    localStorage.removeItem(KEY);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(KEY, value);
    document.documentElement.dataset.theme = value;
  }
});

// Another tab chose a theme.
addEventListener("storage", (event) => {
  if (event.key === KEY) theme.value = stored();
});
