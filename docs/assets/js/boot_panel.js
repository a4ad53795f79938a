/** Fills the panel "how this page runs": shows the sentences for the boot method that succeeded, and writes its timings into them. */

/** @param {import('./python.js').Boot} boot */
export function showBoot(boot) {
  const panel = document.getElementById('how-it-runs');
  if (!panel) return;
  /** @type {Record<string, number | string>} */
  const values = { ...boot.timings, restarts: boot.restarts, failures: boot.failures.join('; ') };
  for (const sentence of /** @type {NodeListOf<HTMLElement>} */ (panel.querySelectorAll('[data-rung]'))) {
    sentence.hidden = !sentence.dataset.rung?.split(' ').includes(boot.rung);
  }
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (panel.querySelectorAll('[data-boot]'))) {
    const value = values[element.dataset.boot ?? ''] ?? 0;
    element.textContent = typeof value === 'number' ? value.toFixed(0) : value;
    const sentence = /** @type {HTMLElement | null} */ (element.closest('[data-if]'));
    if (sentence) sentence.hidden = !value;
  }
}
