// Preferences: stored on the server, kept in this browser so that they apply at once.

import { computed, signal } from "@preact/signals";

import { ApiError } from "../api/errors";
import { type Preferences, type StoredPreferences, readPreferences, writePreferences } from "../api/people";
import { type Theme, theme } from "./theme";

const KEY = "spindle.preferences";

export type Density = "dense" | "normal" | "tall";
export type TimeZone = "local" | "utc";

/** What the console itself keeps; screens keep their own members beside these. */
export type ConsolePreferences = {
  theme?: Theme;
  timeZone?: TimeZone;
  density?: Density;
  /** False: single keys do nothing. */
  shortcuts?: boolean;
};

function remembered(): Preferences {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof value === "object" && value !== null ? (value as Preferences) : {};
  } catch {
    return {};
  }
}

export const preferences = signal<Preferences & ConsolePreferences>(remembered());
export const timeZone = computed<TimeZone>(() => (preferences.value.timeZone === "local" ? "local" : "utc"));
export const density = computed<Density>(() => preferences.value.density ?? "normal");
export const shortcutsOn = computed(() => preferences.value.shortcuts !== false);

let etag: string | null = null;
let writing: Promise<void> = Promise.resolve();

function adopt(stored: StoredPreferences): void {
  etag = stored.etag;
  preferences.value = stored.preferences;
  localStorage.setItem(KEY, JSON.stringify(stored.preferences));
  const chosen = stored.preferences.theme;
  if (chosen === "system" || chosen === "light" || chosen === "dark") theme.value = chosen;
}

export async function loadPreferences(): Promise<void> {
  adopt(await readPreferences());
}

async function write(change: Preferences): Promise<void> {
  try {
    adopt(await writePreferences({ ...preferences.peek(), ...change }, etag));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 412) throw error;
    // Another tab was faster: apply the change to what it wrote.
    const stored = await readPreferences();
    adopt(await writePreferences({ ...stored.preferences, ...change }, stored.etag));
  }
}

/** Changes preferences at once and stores them. Changes are stored one after the other. */
export function setPreferences(change: ConsolePreferences & Preferences): Promise<void> {
  preferences.value = { ...preferences.peek(), ...change };
  localStorage.setItem(KEY, JSON.stringify(preferences.peek()));
  if (change.theme) theme.value = change.theme;
  writing = writing.catch(() => undefined).then(() => write(change));
  return writing;
}
