// Chooses the project that the navigation shows.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { Icon } from "../ui/icons";
import { Popover } from "../ui/popover";
import { SafeText } from "../ui/safe_text";
import { href, innerPath, navigateTo, paths } from "./location";
import { useProjects } from "./me";
import { search } from "./palette_search";
import { navigationProject, setNavigationProject } from "./place";
import { matchRoute } from "./routes";

/** Screens that exist in every project: switching stays on them. */
const KEPT = /^\/p\/[^/]+\/[^/]+\/(traces|threads|agents|search|datasets|objects|evals|queues|playground|training|models|runs|artifacts|settings)/;

/** Returns the address of the same screen in another project. */
export function projectHref(project: string): string {
  const area = KEPT.exec(innerPath(location.pathname))?.[1] ?? "traces";
  const path = `${paths.traces(project).replace(/traces$/, "")}${area}`;
  return href(matchRoute(path) ? path : paths.home());
}

export function ProjectSwitcher() {
  const { data: projects } = useProjects();
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const current = navigationProject.value;
  const known = current !== null && (projects?.some(({ team, name }) => `${team}/${name}` === current) ?? true);

  useEffect(() => {
    // At first, and after the project was deleted, another one is as good as none.
    const first = projects?.[0];
    if (projects && !known) setNavigationProject(first ? `${first.team}/${first.name}` : null);
  }, [projects, known]);
  if (projects && projects.length === 0) return null;
  const [team, ...name] = (current ?? "").split("/");
  return (
    <div class="switcher">
      <button
        ref={button}
        type="button"
        class="switcher-button"
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {current ? (
          <span class="switcher-names">
            <span class="switcher-team"><SafeText text={team ?? ""} line /></span>
            <span class="switcher-project"><SafeText text={name.join("/")} line /></span>
          </span>
        ) : (
          <span class="switcher-names"><span class="switcher-project">Choose a project</span></span>
        )}
        <Icon name="chevronDown" size={14} />
      </button>
      <Popover open={open} onClose={() => setOpen(false)} anchor={button} matchWidth label="Projects" class="switcher-popover">
        <ProjectList onDone={() => setOpen(false)} current={current} />
      </Popover>
    </div>
  );
}

function ProjectList({ current, onDone }: { current: string | null; onDone: () => void }) {
  const { data: projects = [] } = useProjects();
  const [typed, setTyped] = useState("");
  const [active, setActive] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const names = useMemo(() => projects.map(({ team, name }) => `${team}/${name}`), [projects]);
  const found = useMemo(() => search(names, typed, (name) => name, 200), [names, typed]);
  const chosen = Math.min(active, found.length - 1);
  const go = (project: string) => {
    onDone();
    navigateTo(projectHref(project));
    setNavigationProject(project);
  };
  return (
    <>
      {names.length > 6 && (
        <div class="switcher-filter">
          <Icon name="search" size={14} />
          <input
            ref={input}
            type="text"
            value={typed}
            placeholder="Find a project"
            aria-label="Find a project"
            spellcheck={false}
            onInput={(event) => {
              setTyped(event.currentTarget.value);
              setActive(0);
            }}
            onKeyDown={(event) => {
              const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
              const project = found[chosen];
              if (step !== 0 && found.length > 0) setActive((chosen + step + found.length) % found.length);
              else if (event.key === "Enter" && project) go(project);
              else return;
              event.preventDefault();
            }}
          />
        </div>
      )}
      <ul class="switcher-list">
        {found.map((project, index) => (
          <li key={project}>
            <a
              href={projectHref(project)}
              class={index === chosen && names.length > 6 ? "switcher-item switcher-active" : "switcher-item"}
              aria-current={project === current ? "true" : undefined}
              onClick={() => {
                onDone();
                setNavigationProject(project);
              }}
            >
              <span class="truncate"><SafeText text={project} line /></span>
              {project === current && <Icon name="check" size={14} />}
            </a>
          </li>
        ))}
        {found.length === 0 && <li class="switcher-none">No project matches.</li>}
      </ul>
    </>
  );
}
