// How long a test waits before it reports that something hangs. Programs with a sanitizer are up to 20 times slower.

const SLOWDOWN = process.env.SPINDLE_SANITIZED ? 20 : 1;

/** Milliseconds to wait for something that takes less in a normal build. */
export const waitLimit = (ms) => ms * SLOWDOWN;

/** The options of a test that takes less than this in a normal build. */
export const within = (ms) => ({ timeout: waitLimit(ms) });
