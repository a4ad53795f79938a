/** Reading without a network: the service worker that keeps the site, and the page that outlived its runtime. */

/** Where the script is that keeps the site; none where the page is being written, and none on disk. */
const script = document.querySelector('meta[name="explainer-offline"]')?.getAttribute('content');

/** Asked for when Python is ready: most of what it keeps is then in the browser already, and nobody waits. */
export function keepOffline() {
  if (!script || !location.protocol.startsWith('http') || !('serviceWorker' in navigator)) return;
  const address = new URL(script, document.baseURI);
  navigator.serviceWorker.register(address, { scope: new URL('.', address).pathname }).catch(() => {
    // Storage may be full or forbidden: the page works, and needs the network again next time.
  });
}

/**
 * Whether the site has another runtime by now, so that loading the page again would help.
 * @param {string} folder the runtime's, as this page names it
 */
export async function isOutdated(folder) {
  try {
    const response = await fetch(location.href, { cache: 'no-store' });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const newer = page.querySelector('meta[name="explainer-runtime"]')?.getAttribute('content');
    return response.ok && Boolean(newer) && newer !== folder;
  } catch {
    return false;
  }
}
