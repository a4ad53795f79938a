/** Bringing a model: a config.json pasted, dropped, opened, or fetched by its id. What it means is for Python to say. */

/** Above what any config.json is, and below what would trouble Python: kvcore.config has the same limits. */
const MOST_CHARACTERS = 1_000_000;
const DEEPEST = 64;

const HUB = 'https://huggingface.co';

/** Nesting alone can end the interpreter, so it is counted before Python sees the text; real files hold Infinity, which JSON.parse refuses. @param {string} text */
export function nesting(text) {
  let depth = 0, deepest = 0, quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quoted) {
      if (character === '\\') at += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, depth += 1);
    else if (character === '}' || character === ']') depth -= 1;
  }
  return deepest;
}

/** @param {string} id @returns {Promise<{config: string} | {config_failed: string}>} */
async function fetched(id) {
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
 * @param {(extra: Record<string, string>) => void} handlers.give sends a config, or why there is none, with the next request to Python
 * @param {() => void} handlers.started called as soon as the reader asks for an import; reading a file or a download takes a while
 */
export function listenForConfigs({ give, started }) {
  const frame = document.getElementById('kv-import');
  const text = /** @type {HTMLTextAreaElement | null} */ (document.getElementById('kv-config-text'));
  const file = /** @type {HTMLInputElement | null} */ (document.getElementById('kv-config-file'));
  const id = /** @type {HTMLInputElement | null} */ (document.getElementById('kv-config-id'));
  const use = document.getElementById('kv-config-use'), get = document.getElementById('kv-config-fetch');
  if (!frame || !text || !file || !id || !use || !get) return;

  /** @param {string} config @param {string} name */
  const bring = (config, name) => {
    if (config.length > MOST_CHARACTERS) give({ config_failed: 'size', config_name: name });
    else if (nesting(config) > DEEPEST) give({ config_failed: 'depth', config_name: name });
    else give({ config_text: config, config_name: name });
  };
  /** @param {File | undefined} chosen */
  const read = async chosen => {
    if (!chosen) return;
    started();
    const name = chosen.name.replace(/\.json$/i, '');
    try {
      bring(chosen.size > 4 * MOST_CHARACTERS ? ' '.repeat(MOST_CHARACTERS + 1) : await chosen.text(), name === 'config' ? '' : name);
    } catch {
      give({ config_failed: 'file', config_name: name });
    }
  };
  const ask = async () => {
    started();
    const wanted = id.value.trim().replace(/^https:\/\/huggingface\.co\//, '').split('/').slice(0, 2).join('/');
    if (!/^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/.test(wanted)) {
      give({ config_failed: 'id', config_name: id.value });
      return;
    }
    const found = await fetched(wanted);
    if ('config' in found) bring(found.config, wanted.split('/')[1] ?? wanted);
    else give({ ...found, config_name: wanted });
  };

  use.addEventListener('click', () => {
    started();
    bring(text.value, '');
  });
  file.addEventListener('change', () => read(file.files?.[0]));
  get.addEventListener('click', ask);
  id.addEventListener('keydown', event => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    ask();
  });
  for (const type of ['dragover', 'dragleave', 'drop']) {
    frame.addEventListener(type, event => {
      event.preventDefault();
      frame.classList.toggle('kv-over', type === 'dragover');
      if (type === 'drop' && event instanceof DragEvent) read(event.dataTransfer?.files[0]);
    });
  }
}
