/** Finding a model among many: what is typed hides the others; Enter takes the first that is left. */

/** @param {(name: string) => void} touch told when the model has been chosen so */
export function listenForSearch(touch) {
  const find = document.getElementById('kv-find'), select = find?.closest('[data-control]')?.querySelector('select');
  if (!(find instanceof HTMLInputElement) || !(select instanceof HTMLSelectElement)) return;

  const models = () => [...select.querySelectorAll('optgroup option')].filter(option => option instanceof HTMLOptionElement);
  const show = () => {
    const words = find.value.trim().toLowerCase().split(/\s+/);
    for (const option of models()) {
      const text = `${option.textContent} ${option.value} ${option.parentElement?.getAttribute('label')}`.toLowerCase();
      option.hidden = !words.every(word => text.includes(word));
    }
    for (const group of select.querySelectorAll('optgroup')) group.hidden = !group.querySelector('option:not([hidden])');
  };

  find.addEventListener('input', show);
  find.addEventListener('keydown', event => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    const first = models().find(option => !option.hidden);
    if (!first) return;
    select.value = first.value;
    find.value = '';
    show();
    touch(select.name);
  });
}
