/** Promises for what happens later: a frame, the first paint, a call of a function. */

/** @returns {Promise<unknown>} resolves at the next frame, or after 100 ms: a tab in the background has no frames */
export const nextFrame = () => new Promise(resolve => {
  requestAnimationFrame(resolve);
  setTimeout(resolve, 100);
});

/** @returns {Promise<unknown>} resolves when the page has been painted once, or after a second: a tab in the background is not painted */
export const firstPaint = () => new Promise(resolve => {
  if (performance.getEntriesByType('paint').length) resolve(undefined);
  requestAnimationFrame(() => setTimeout(resolve));
  setTimeout(resolve, 1000);
});

/**
 * @template T
 * @returns {{promise: Promise<T>, resolve: (value: T) => void, reject: (error: unknown) => void}} a promise, and the functions that settle it
 */
export function deferred() {
  /** @type {any} */
  let functions;
  const promise = new Promise((resolve, reject) => { functions = { resolve, reject }; });
  return { promise, ...functions };
}
