/** Offline reading: starts the service worker that caches the site, and finds out whether this page is older than the site. */

/** The address of the service worker; none under `serve`. */
const script = document.querySelector('meta[name="explainer-offline"]')?.getAttribute('content');

/** How long the site is asked for its newest page. */
const LIMIT_MS = 10_000;

/** Called when Python is ready: then most files are in the browser's cache already, and the downloads delay nothing. */
export async function keepOffline() {
  if (!script || !location.protocol.startsWith('http') || !('serviceWorker' in navigator)) return;
  const address = new URL(script, document.baseURI);
  try {
    await navigator.serviceWorker.register(address, { scope: new URL('.', address).pathname });
  } catch {
    // Storage may be full or forbidden. The page works without it, and needs the network next time.
  }
}

/**
 * Whether the site has a newer runtime than this page names, so that reloading the page would help.
 * @param {string} folder the runtime's, as this page names it
 */
export async function isOutdated(folder) {
  try {
    const response = await fetch(location.href, { cache: 'no-store', signal: AbortSignal.timeout(LIMIT_MS) });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const newer = page.querySelector('meta[name="explainer-runtime"]')?.getAttribute('content');
    return response.ok && Boolean(newer) && newer !== folder;
  } catch {
    return false;
  }
}
