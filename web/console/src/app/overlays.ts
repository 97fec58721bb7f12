// Which overlay of the shell is open.

import { signal } from "@preact/signals";

export const paletteOpen = signal(false);
export const helpOpen = signal(false);
/** The navigation as a drawer, on narrow screens. */
export const drawerOpen = signal(false);
