/** Downloads that say that they go on, so that a slow one is not taken for a dead one, and that can be ended in the middle. */

/** @param {Response} response @returns {AsyncGenerator<Uint8Array<ArrayBuffer>>} the body in chunks as they arrive; who stops reading ends the download */
export async function* chunksOf({ body }) {
  const reader = body?.getReader();
  if (!reader) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/**
 * A file of the runtime, or an error that names it, as a browser's own error does not. An empty one counts as lost.
 * @param {URL} address
 * @param {object} options
 * @param {() => void} options.heard called with every chunk
 * @param {RequestCache} options.cache
 * @returns {Promise<ArrayBuffer>}
 */
export async function download(address, { heard, cache }) {
  try {
    const response = await fetch(address, { cache, priority: 'low' });
    if (!response.ok) throw new Error(`status ${response.status}`);
    const chunks = [];
    for await (const chunk of chunksOf(response)) {
      heard();
      chunks.push(chunk);
    }
    if (!chunks.length) throw new Error('empty');
    return await new Blob(chunks).arrayBuffer();
  } catch (error) {
    throw new Error(`${address.pathname.split('/').pop()}: ${error instanceof Error ? error.message : error}`);
  }
}
