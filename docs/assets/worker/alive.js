/**
 * Signs of life of a boot. The page takes a worker that is silent for long for dead, but a download over a slow network
 * takes minutes. So while it boots, the worker tells the page every second that it is alive, and itself ends a boot that hangs.
 */

/** The time between two signs of life. */
const BEAT_MS = 1000;

/** A boot method hangs if neither a stage begins nor a byte arrives for this many beats: beats, because none are counted while a computer sleeps. */
const HUNG_BEATS = 60;

/** The number of beats since the last progress. */
let still = 0;

/** Called when a stage begins or a byte arrives. */
export function progressed() {
  still = 0;
}

/**
 * The value of a promise, or an error if there is no progress for too long; meanwhile the page is told that this worker is alive.
 * @template T
 * @param {Promise<T>} promise
 * @param {string} what
 * @returns {Promise<T>}
 */
export async function whileAlive(promise, what) {
  progressed();
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let timer;
  const hung = new Promise((_, reject) => {
    timer = setInterval(() => {
      self.postMessage({alive: true});
      still += 1;
      if (still >= HUNG_BEATS) reject(new Error(`${what}: nothing for ${HUNG_BEATS * BEAT_MS / 1000} s`));
    }, BEAT_MS);
  });
  try {
    return await Promise.race([promise, /** @type {Promise<never>} */ (hung)]);
  } finally {
    clearInterval(timer);
  }
}
