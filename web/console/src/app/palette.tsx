// The palette (Ctrl-K): goes to screens, projects and ids, and runs actions.

import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";

import { useQuery } from "../api/cache";
import { type ResolvedReference, resolveRef } from "../api/resolve";
import { ShellIcon, type ShellIconName } from "./icons";
import { href, navigateTo, paths } from "./location";
import { useMe, useProjects } from "./me";
import { navigationSections } from "./navigation_items";
import { looksLikeId, search } from "./palette_search";
import { navigationProject, navigationTeam } from "./place";
import { hasScreen } from "./routes";
import { helpOpen, paletteOpen } from "./overlays";
import { closeSession } from "./session";
import { setPreferences } from "./preferences";
import { keyCaps } from "./shortcuts";
import type { Theme } from "./theme";

interface Item {
  id: string;
  group: string;
  label: string;
  hint?: string;
  icon: ShellIconName;
  keys?: string;
  href?: string;
  run?: () => void;
}

function useItems(): Item[] {
  const { data: me } = useMe();
  const { data: projects } = useProjects();
  const project = navigationProject.value;
  const team = navigationTeam.value ?? me?.default_team ?? null;
  return useMemo(() => {
    const sections = navigationSections({ project, team, organizationAdmin: me?.organization_admin ?? false });
    const screens: Item[] = sections.flatMap(({ title, items }) =>
      items.map(({ screen, label, icon, href: address, key }) => ({
        id: `screen ${screen}`,
        group: "Go to",
        label,
        hint: title === "Team" ? (team ?? "") : title === "Server" || title === "" ? "" : (project ?? ""),
        icon,
        href: address,
        ...(key ? { keys: `g ${key}` } : {}),
      })),
    );
    const places: Item[] = (projects ?? []).map(({ team: owner, name, description }) => ({
      id: `project ${owner}/${name}`,
      group: "Projects",
      label: `${owner}/${name}`,
      hint: description,
      icon: "folder",
      href: href(hasScreen("traces") ? paths.traces(`${owner}/${name}`) : paths.home()),
    }));
    const themes = ([["light", "sun"], ["dark", "moon"], ["system", "screen"]] as [Theme, ShellIconName][]).map(
      ([theme, icon]): Item => ({
        id: `theme ${theme}`,
        group: "Actions",
        label: theme === "system" ? "Theme: as the system" : `Theme: ${theme}`,
        icon,
        run: () => void setPreferences({ theme }),
      }),
    );
    const actions: Item[] = [
      { id: "account", group: "Actions", label: "Your account: keys, sessions, preferences", icon: "person", href: href(paths.me()) },
      { id: "help", group: "Actions", label: "Keyboard shortcuts", icon: "keyboard", keys: "?", run: () => (helpOpen.value = true) },
      ...themes,
      { id: "sign out", group: "Actions", label: "Sign out", icon: "exit", run: () => void closeSession() },
    ];
    return [...screens, ...places, ...actions];
  }, [me, projects, project, team]);
}

/** Asks the server what an id names, a moment after the last key. */
function useResolved(typed: string): { item: Item | null; note: string | null } {
  const [asked, setAsked] = useState("");
  const ref = looksLikeId(typed) ? typed.trim() : "";
  useEffect(() => {
    const timer = setTimeout(() => setAsked(ref), 150);
    return () => clearTimeout(timer);
  }, [ref]);
  const { data, error, loading } = useQuery<ResolvedReference>({
    key: ["resolve", asked],
    read: (signal) => resolveRef(asked, navigationProject.peek(), signal),
    enabled: asked !== "",
    staleTime: 30_000,
    keep: false,
  });
  if (ref === "") return { item: null, note: null };
  if (asked !== ref || loading) return { item: null, note: "Looking for this id…" };
  if (!data) return { item: null, note: error?.missing ? "No call, trace, run, job or delivery has this id." : (error?.message ?? null) };
  const place = data.project ? `${data.team}/${data.project}` : data.team;
  return {
    item: { id: "resolved", group: "Found", label: `Open the ${data.kind} ${data.id}`, hint: place, icon: "link", href: href(data.path) },
    note: null,
  };
}

function choose(item: Item, newTab: boolean): void {
  paletteOpen.value = false;
  if (item.href && newTab) window.open(item.href, "_blank", "noopener");
  else if (item.href) navigateTo(item.href);
  else item.run?.();
}

export default function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState("");
  const [active, setActive] = useState(0);
  const id = useId();
  const items = useItems();
  const resolved = useResolved(typed);
  const found = useMemo(() => {
    const matches = search(items, typed, (item) => `${item.label} ${item.hint ?? ""}`);
    return resolved.item ? [resolved.item, ...matches] : matches;
  }, [items, typed, resolved.item]);
  const current = Math.min(active, found.length - 1);

  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => setActive(0), [typed]);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [current, found]);

  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" || (event.ctrlKey && event.key === "n") ? 1
      : event.key === "ArrowUp" || (event.ctrlKey && event.key === "p") ? -1 : 0;
    const item = found[current];
    if (step !== 0 && found.length > 0) setActive((current + step + found.length) % found.length);
    else if (event.key === "Enter" && item) choose(item, event.ctrlKey || event.metaKey);
    else return;
    event.preventDefault();
  };

  let group = "";
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Go to a screen, project or id"
      onClose={() => (paletteOpen.value = false)}
      onClick={(event) => {
        if (event.target === event.currentTarget) event.currentTarget.close();
      }}
    >
      <div class="palette-box">
        <div class="palette-input">
          <ShellIcon name="search" />
          <input
            type="text"
            value={typed}
            placeholder="Go to a screen or project, or paste an id"
            role="combobox"
            aria-label="Go to"
            aria-expanded="true"
            aria-controls={`${id}-list`}
            aria-activedescendant={found.length > 0 ? `${id}-${current}` : undefined}
            aria-autocomplete="list"
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setTyped(event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
          <kbd>Esc</kbd>
        </div>
        <div ref={list} class="palette-list" id={`${id}-list`} role="listbox" aria-label="Entries">
          {found.map((item, index) => {
            const head = typed.trim() === "" && item.group !== group ? item.group : null;
            group = item.group;
            return [
              head && <div key={`${head} head`} class="palette-group" role="presentation">{head}</div>,
              <div
                key={item.id}
                id={`${id}-${index}`}
                class="palette-item"
                role="option"
                aria-selected={index === current}
                onMouseMove={() => index !== current && setActive(index)}
                onClick={(event) => choose(item, event.ctrlKey || event.metaKey)}
              >
                <ShellIcon name={item.icon} />
                <span class="palette-label">{item.label}</span>
                {item.hint && <span class="palette-hint">{item.hint}</span>}
                {item.keys && <span class="palette-keys">{keyCaps(item.keys).map((cap) => <kbd key={cap}>{cap}</kbd>)}</span>}
              </div>,
            ];
          })}
        </div>
        <p class="palette-note" role="status">
          {resolved.note ?? (found.length === 0 ? "Nothing matches. Ids can be pasted whole." : "")}
        </p>
      </div>
    </dialog>
  );
}
