/** Importing a model: a config.json that is pasted, dropped, opened, or fetched by the model's id. Python reads it; this only brings the text. */

/** Far larger than any config.json; kvcore.config has the same limit. A larger text is not even sent to Python. */
const MOST_CHARACTERS = 8_000_000;

const HUB = 'https://huggingface.co';

/** @param {string} id @returns {Promise<{config: string} | {config_failed: string}>} */
async function download(id) {
  try {
    const response = await fetch(`${HUB}/${id}/resolve/main/config.json`, { credentials: 'omit', referrerPolicy: 'no-referrer' });
    if (response.ok) return { config: await response.text() };
    return { config_failed: { 401: 'gated', 403: 'gated', 404: 'missing' }[response.status] ?? String(response.status) };
  } catch {
    return { config_failed: 'network' };
  }
}

/**
 * @param {object} handlers
 * @param {(fields: Record<string, string>) => void} handlers.give sends a config, or why there is none, with the next request to Python
 * @param {() => void} handlers.started called as soon as the reader asks for an import; reading a file or a download takes a while
 */
export function listenForImports({ give, started }) {
  const frame = document.getElementById('kv-import');
  const text = /** @type {HTMLTextAreaElement | null} */ (document.getElementById('kv-config-text'));
  const file = /** @type {HTMLInputElement | null} */ (document.getElementById('kv-config-file'));
  const id = /** @type {HTMLInputElement | null} */ (document.getElementById('kv-config-id'));
  const use = document.getElementById('kv-config-use'), get = document.getElementById('kv-config-fetch');
  if (!frame || !text || !file || !id || !use || !get) return;

  /** @param {string} config @param {string} name */
  const importText = (config, name) => {
    if (config.length > MOST_CHARACTERS) give({ config_failed: 'size', config_name: name });
    else give({ config_text: config, config_name: name });
  };
  /** @param {File | undefined} chosen */
  const importFile = async chosen => {
    if (!chosen) return;
    started();
    const name = chosen.name.replace(/\.json$/i, '');
    const tooLarge = chosen.size > 4 * MOST_CHARACTERS;       // UTF-8 has at most four bytes a character
    try {
      if (tooLarge) give({ config_failed: 'size', config_name: name });
      else importText(await chosen.text(), name === 'config' ? '' : name);
    } catch {
      give({ config_failed: 'file', config_name: name });
    }
  };
  const importFromHub = async () => {
    started();
    const model = id.value.trim().replace(/^https:\/\/huggingface\.co\//, '').split('/').slice(0, 2).join('/');
    if (!/^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/.test(model)) {
      give({ config_failed: 'id', config_name: id.value });
      return;
    }
    const answer = await download(model);
    if ('config' in answer) importText(answer.config, model.split('/')[1] ?? model);
    else give({ ...answer, config_name: model });
  };

  use.addEventListener('click', () => {
    started();
    importText(text.value, '');
  });
  file.addEventListener('change', () => importFile(file.files?.[0]));
  get.addEventListener('click', importFromHub);
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
}
