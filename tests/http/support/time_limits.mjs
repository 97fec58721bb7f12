// How long a test waits before it reports that something hangs. Programs with a sanitizer are up to 20 times slower;
// SPINDLE_TEST_SLOWDOWN is a factor for tests of several nodes and stores on one machine.

const SLOWDOWN = (process.env.SPINDLE_SANITIZED ? 20 : 1) * Number(process.env.SPINDLE_TEST_SLOWDOWN ?? 1);

/** Milliseconds to wait for something that takes less in a normal build. */
export const waitLimit = (ms) => ms * SLOWDOWN;

/** The options of a test that takes less than this in a normal build. */
export const within = (ms) => ({ timeout: waitLimit(ms) });
