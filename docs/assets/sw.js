/**
 * The service worker: after one visit the site can be read offline. It lies at the site's root, and its scope is the root's
 * folder. On one origin there may be other projects, so the names of its caches begin with PREFIX, and it touches no others.
 *
 * - Files of the runtime come from the cache: the name of their folder contains a hash of them, so they never change.
 * - All other files come from the network, or from the cache if the network does not answer. The cache has all files of one
 *   deployment, each checked against its hash, so that a page never mixes two deployments.
 *
 * A newer service worker waits until no page of the older one is open, because an open page needs the runtime that it names.
 * If SITE is null, offline reading is switched off: then this deletes its caches and unregisters itself.
 *
 * @typedef {object} Site written by site_hooks/offline.py; esbuild puts it in place of SITE
 * @property {string} version a hash over all files
 * @property {string} runtime the runtime's folder
 * @property {Record<string, string>} files the hash of each file, by its path
 */
const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

/** @type {Site | null} */
// @ts-expect-error: esbuild replaces it
const site = SITE;

/** If the network has not begun to answer after this time, a cached copy is used. */
const PATIENCE_MS = 4000;

const scope = worker.registration.scope;
const PREFIX = `kv-cache-explainer ${new URL(scope).pathname} `;
const PAGES = `${PREFIX}${site?.version}`, RUNTIME = `${PREFIX}${site?.runtime}`;

/** Cache all files of the site. @param {Site} site */
async function fill({files, runtime}) {
  try {
    const [pages, runtimeFiles] = await Promise.all([caches.open(PAGES), caches.open(RUNTIME)]);
    await Promise.all(Object.entries(files).map(async ([path, integrity]) => {
      const cache = path.startsWith(runtime) ? runtimeFiles : pages, address = new URL(path, scope);
      if (await cache.match(address)) return;
      const response = await fetch(address, {integrity, cache: 'no-cache'});
      if (!response.ok) throw new Error(`${path}: status ${response.status}`);
      await cache.put(address, response);
    }));
  } catch (error) {
    await caches.delete(PAGES); // an incomplete cache is of no use
    throw error;
  }
}

/** Delete all our caches but these. @param {string[]} kept */
async function clean(kept) {
  const names = await caches.keys();
  await Promise.all(names.filter(name => name.startsWith(PREFIX) && !kept.includes(name)).map(name => caches.delete(name)));
}

/** @param {number} milliseconds @returns {Promise<undefined>} */
const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds, undefined));

/**
 * The cached copy of a file, or undefined if there is none, or if the cache fails or does not answer in time: a cache that is
 * being written to may block others, and a page must not wait for it.
 * @param {string} name @param {URL} address
 */
const cached = (name, address) => Promise.race([
  caches.open(name).then(cache => cache.match(address)).catch(() => undefined),
  pause(PATIENCE_MS),
]);

/** @param {Request} request @param {URL} address without fragment and query @returns {Promise<Response>} */
async function fromNetwork(request, address) {
  // For pages the HTTP cache is not used: an older page may name a runtime that the host no longer has.
  const response = request.mode === 'navigate' ? fetch(request, {cache: 'no-cache'}) : fetch(request);
  response.catch(() => {}); // if there is no copy, the error is thrown below
  return await Promise.race([response, pause(PATIENCE_MS)]).catch(() => undefined)
    ?? await cached(PAGES, address.href.endsWith('/') ? new URL('index.html', address) : address)
    ?? response;
}

/** @param {Request} request @param {URL} address */
async function fromCache(request, address) {
  // A page asks past every cache only where it has just found the file broken.
  const again = request.cache === 'reload' ? await fetch(request).catch(() => undefined) : undefined;
  if (again?.ok) return again;
  return await cached(RUNTIME, address) ?? again ?? fetch(request);
}

worker.addEventListener('install', event => event.waitUntil(site ? fill(site) : worker.skipWaiting()));

// No request is answered until this is done, so its time is limited.
worker.addEventListener('activate', event => event.waitUntil(
  site ? Promise.race([clean([PAGES, RUNTIME]), pause(PATIENCE_MS)]) : clean([]).then(() => worker.registration.unregister())));

if (site) {
  worker.addEventListener('fetch', event => {
    const address = new URL(event.request.url);
    address.hash = address.search = '';
    if (event.request.method !== 'GET' || !address.href.startsWith(scope)) return;
    const answer = address.href.startsWith(scope + site.runtime) ? fromCache : fromNetwork;
    event.respondWith(answer(event.request, address));
  });
}
