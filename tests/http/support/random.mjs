// Pseudo-random numbers from a seed, so that a failing run can be reproduced.

/** Returns a generator of numbers in [0, 1) (mulberry32). */
export function seededRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Returns an integer from `low` to `high`, inclusive. */
export function randomBetween(random, low, high) {
  return low + Math.floor(random() * (high - low + 1));
}
