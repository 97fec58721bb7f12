// Shortcuts that leave controls alone.

const CONTROLS = "button, a[href], summary, [role=tab], [role=menuitem], [role=separator]";

/** For Enter and Space: a focused button or link does its own work; otherwise `run` is called. */
export function unlessControl(run: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    const control = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>(CONTROLS) : null;
    // The shortcut has taken the key from the control.
    if (control) control.click();
    else run();
  };
}
