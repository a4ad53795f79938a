/** The panel "how this page runs": sentences that stand in the article, shown where they are true, and numbers put into them. */

/** @param {import('./python.js').Boot} boot */
export function showBoot(boot) {
  const panel = document.getElementById('how-it-runs');
  if (!panel) return;
  /** @type {Record<string, number | string>} */
  const values = { ...boot.timings, restarts: boot.restarts, failures: boot.failures.join('; ') };
  for (const sentence of /** @type {NodeListOf<HTMLElement>} */ (panel.querySelectorAll('[data-rung]'))) {
    sentence.hidden = !sentence.dataset.rung?.split(' ').includes(boot.rung);
  }
  for (const place of /** @type {NodeListOf<HTMLElement>} */ (panel.querySelectorAll('[data-boot]'))) {
    const value = values[place.dataset.boot ?? ''] ?? 0;
    place.textContent = typeof value === 'number' ? value.toFixed(0) : value;
    const sentence = /** @type {HTMLElement | null} */ (place.closest('[data-if]'));
    if (sentence) sentence.hidden = !value;
  }
}
