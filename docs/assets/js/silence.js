/**
 * Counts for how long the worker has said nothing, while something is expected of it. It counts ticks of its own timer, not the
 * time of a clock: a tab that slept for a day has one tick, not 86,400, and its worker slept too.
 */
const TICK_MS = 1000;

/** After this many ticks the page says that it waits. */
const TOLD_AFTER = 3;

/** After this many the worker is taken for dead: a browser that ends one does not tell the page. An answer takes milliseconds. */
const DEAD_AFTER = 20;

/** A worker that has begun to boot gets this many: while Python starts, it can say nothing, and a slow computer takes its time. */
export const BOOTING = 120;

/**
 * @param {object} handlers
 * @param {(waiting: boolean) => void} handlers.waits called when the page should say that it waits, and when it no longer does
 * @param {(error: Error) => void} handlers.dead
 */
export function watchSilence({ waits, dead }) {
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  let ticks = 0, limit = DEAD_AFTER;

  /** The worker said something. */
  function heard() {
    if (ticks >= TOLD_AFTER) waits(false);
    ticks = 0;
  }

  /** Nothing is expected any more. */
  function stop() {
    clearInterval(timer);
    heard();
  }

  /** From now on something is expected, within this many ticks. */
  function start(within = DEAD_AFTER) {
    stop();
    limit = within;
    timer = setInterval(() => {
      ticks += 1;
      if (ticks === TOLD_AFTER) waits(true);
      if (ticks >= limit) dead(new Error(`the worker was silent for ${limit * TICK_MS / 1000} s`));
    }, TICK_MS);
  }

  return { start, heard, stop };
}
