/**
 * The service worker: after one visit the site can be read without a network. It lies at the site's root, and its scope
 * is its own folder. One origin serves many projects: its caches begin with PREFIX, and no other is ever touched.
 *
 * - the runtime's folder is named by its content: what is in the cache is what would come
 * - everything else comes from the network, and from the cache where the network does not answer; the cache holds one
 *   deployment, whole, of which every file was checked against its hash, so that it never mixes two
 *
 * A newer one waits until no page of the older one is open: a page keeps the runtime that it names. Where SITE is null
 * this is the switch that turns it off: it clears its caches and goes.
 *
 * @typedef {object} Site what site_hooks/offline.py says of the site; esbuild puts it in the place of SITE
 * @property {string} version of all files
 * @property {string} runtime the folder
 * @property {Record<string, string>} files their hashes, by their path
 */
const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

/** @type {Site | null} */
// @ts-expect-error: esbuild replaces it
const site = SITE;

/** A network that has not begun to answer by then is as good as none, if there is a copy. */
const PATIENCE_MS = 4000;

const scope = worker.registration.scope;
const PREFIX = `kv-cache-explainer ${new URL(scope).pathname} `;
const PAGES = `${PREFIX}${site?.version}`, RUNTIME = `${PREFIX}${site?.runtime}`;

/** @param {Site} all */
async function keep({files, runtime}) {
  try {
    const [pages, ours] = await Promise.all([caches.open(PAGES), caches.open(RUNTIME)]);
    await Promise.all(Object.entries(files).map(async ([path, integrity]) => {
      const cache = path.startsWith(runtime) ? ours : pages, address = new URL(path, scope);
      if (await cache.match(address)) return;
      const response = await fetch(address, {integrity, cache: 'no-cache'});
      if (!response.ok) throw new Error(`${path}: status ${response.status}`);
      await cache.put(address, response);
    }));
  } catch (error) {
    await caches.delete(PAGES); // half a site is none
    throw error;
  }
}

/** @param {string[]} kept the caches of ours that stay */
async function clean(kept) {
  const names = await caches.keys();
  await Promise.all(names.filter(name => name.startsWith(PREFIX) && !kept.includes(name)).map(name => caches.delete(name)));
}

/** @param {number} milliseconds @returns {Promise<undefined>} */
const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds, undefined));

/**
 * What a cache holds, or nothing when it fails or does not say so in time: a store that is being changed may keep others
 * waiting, and no page shall wait with them.
 * @param {string} name @param {URL} address
 */
const copyIn = (name, address) => Promise.race([
  caches.open(name).then(cache => cache.match(address)).catch(() => undefined),
  pause(PATIENCE_MS),
]);

/** @param {Request} request @param {URL} address what it asks for, without its fragment and query @returns {Promise<Response>} */
async function fromNetwork(request, address) {
  // A page is asked for anew: one that an HTTP cache still holds might name a runtime that is gone.
  const asked = request.mode === 'navigate' ? fetch(request, {cache: 'no-cache'}) : fetch(request);
  asked.catch(() => {}); // told below, where there is no copy
  return await Promise.race([asked, pause(PATIENCE_MS)]).catch(() => undefined)
    ?? await copyIn(PAGES, address.href.endsWith('/') ? new URL('index.html', address) : address)
    ?? asked;
}

/** @param {Request} request @param {URL} address */
async function fromCache(request, address) {
  return await copyIn(RUNTIME, address) ?? fetch(request);
}

worker.addEventListener('install', event => event.waitUntil(site ? keep(site) : worker.skipWaiting()));

// Until this is done no request is answered, so it may not take for ever.
worker.addEventListener('activate', event => event.waitUntil(
  site ? Promise.race([clean([PAGES, RUNTIME]), pause(PATIENCE_MS)]) : clean([]).then(() => worker.registration.unregister())));

if (site) {
  worker.addEventListener('fetch', event => {
    const address = new URL(event.request.url);
    address.hash = address.search = '';
    if (event.request.method !== 'GET' || !address.href.startsWith(scope)) return;
    const of = address.href.startsWith(scope + site.runtime) ? fromCache : fromNetwork;
    event.respondWith(of(event.request, address));
  });
}
