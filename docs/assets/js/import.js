/** Importing a model: a config.json that is pasted, dropped, opened, or fetched by the model's id. Python reads it; this only brings the text. */
import { chunksOf } from './download.js';
import { announce } from './status.js';

/** Far larger than any config.json; kvcore.config has the same limit. A larger text is not even sent to Python. */
const MOST_CHARACTERS = 8_000_000;

const HUB = 'https://huggingface.co';

/** Hugging Face has this long for its answer. */
const LIMIT_MS = 30_000;

/**
 * @param {string} id
 * @param {AbortSignal} signal
 * @returns {Promise<{config: string} | {config_failed: string}>}
 */
async function download(id, signal) {
  const response = await fetch(`${HUB}/${id}/resolve/main/config.json`, { credentials: 'omit', referrerPolicy: 'no-referrer', signal });
  if (!response.ok) return { config_failed: { 401: 'gated', 403: 'gated', 404: 'missing' }[response.status] ?? String(response.status) };
  const decoder = new TextDecoder();
  let config = '';
  for await (const chunk of chunksOf(response)) {
    config += decoder.decode(chunk, { stream: true });
    if (config.length > MOST_CHARACTERS) return { config_failed: 'size' };
  }
  return { config: config + decoder.decode() };
}

/**
 * @param {object} handlers
 * @param {(fields: Record<string, string>) => void} handlers.give sends a config, or why there is none, with the next request to Python
 * @param {() => void} handlers.withdraw what was given is not to be sent any more
 * @param {() => void} handlers.started called as soon as the reader asks for an import; reading a file or a download takes a while
 * @returns {{drop: () => void}} drop: what is on its way is no longer wanted, because the reader chose another model
 */
export function listenForImports({ give, withdraw, started }) {
  const frame = document.getElementById('kv-import');
  const text = /** @type {HTMLTextAreaElement | null} */ (document.getElementById('kv-config-text'));
  const file = /** @type {HTMLInputElement | null} */ (document.getElementById('kv-config-file'));
  const id = /** @type {HTMLInputElement | null} */ (document.getElementById('kv-config-id'));
  const use = document.getElementById('kv-config-use'), get = document.getElementById('kv-config-fetch');
  const waiting = document.getElementById('kv-config-waiting'), stop = document.getElementById('kv-config-stop');
  /** Belongs to the newest import: one that is aborted has been replaced, and what it brings is not used. */
  let newest = new AbortController();
  const drop = () => {
    newest.abort();
    withdraw();
  };
  if (!frame || !text || !file || !id || !use || !get || !waiting || !stop) return { drop };

  /** @returns {AbortSignal} of a new import */
  const begin = () => {
    drop();
    started();
    newest = new AbortController();
    return newest.signal;
  };
  /** @param {string} config @param {string} name */
  const importText = (config, name) => {
    if (config.length > MOST_CHARACTERS) give({ config_failed: 'size', config_name: name });
    else give({ config_text: config, config_name: name });
  };
  /** @param {File | undefined} chosen */
  const importFile = async chosen => {
    if (!chosen) return;
    const signal = begin(), name = chosen.name.replace(/\.json$/i, '');
    const tooLarge = chosen.size > 4 * MOST_CHARACTERS;       // UTF-8 has at most four bytes a character
    const content = tooLarge ? '' : await chosen.text().catch(() => null);
    if (signal.aborted) return;
    if (tooLarge) give({ config_failed: 'size', config_name: name });
    else if (content === null) give({ config_failed: 'file', config_name: name });
    else importText(content, name === 'config' ? '' : name);
  };
  const importFromHub = async () => {
    const replaced = begin();
    const model = id.value.trim().replace(/^https:\/\/huggingface\.co\//, '').split('/').slice(0, 2).join('/');
    if (!/^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/.test(model)) {
      give({ config_failed: 'id', config_name: id.value });
      return;
    }
    const request = new AbortController();
    const ended = () => {
      if (document.activeElement === stop) get.focus();
      waiting.hidden = true;
      request.abort();
    };
    replaced.addEventListener('abort', ended);
    waiting.hidden = false;
    announce(waiting.firstElementChild?.textContent ?? '');
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      request.abort();
    }, LIMIT_MS);
    const answer = await download(model, request.signal).catch(() => ({ config_failed: late ? 'late' : 'network' }));
    clearTimeout(timer);
    if (replaced.aborted) return;
    ended();
    if ('config' in answer) importText(answer.config, model.split('/')[1] ?? model);
    else give({ ...answer, config_name: model });
  };

  use.addEventListener('click', () => {
    begin();
    importText(text.value, '');
  });
  file.addEventListener('change', () => importFile(file.files?.[0]));
  get.addEventListener('click', importFromHub);
  stop.addEventListener('click', drop);
  id.addEventListener('keydown', event => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    importFromHub();
  });
  for (const type of ['dragover', 'dragleave', 'drop']) {
    frame.addEventListener(type, event => {
      event.preventDefault();
      frame.classList.toggle('kv-over', type === 'dragover');
      if (type === 'drop' && event instanceof DragEvent) importFile(event.dataTransfer?.files[0]);
    });
  }
  return { drop };
}
