/** The search field above the models: hides the models that do not match, and opens the select as a list of those that do. */

/** The most rows that the list shows without scrolling. */
const MOST_ROWS = 10;

/** @param {(name: string) => void} touch called with the name of the control when Enter chooses a model */
export function listenForSearch(touch) {
  const find = document.getElementById('kv-find'), frame = find?.closest('[data-control]'), select = frame?.querySelector('select');
  if (!(find instanceof HTMLInputElement) || !(select instanceof HTMLSelectElement)) return;

  const models = () => [...select.querySelectorAll('optgroup option')].filter(option => option instanceof HTMLOptionElement);
  const matching = () => models().filter(option => !option.hidden);
  const show = () => {
    const words = find.value.trim().toLowerCase().split(/\s+/);
    for (const option of models()) {
      const text = `${option.textContent} ${option.value} ${option.parentElement?.getAttribute('label')}`.toLowerCase();
      option.hidden = !words.every(word => text.includes(word));
    }
    const groups = [...select.querySelectorAll('optgroup')];
    for (const group of groups) group.hidden = !group.querySelector('option:not([hidden])');
    if (words[0]) select.size = Math.max(2, Math.min(MOST_ROWS, matching().length + groups.filter(group => !group.hidden).length));
    else select.removeAttribute('size');
  };
  const done = () => {
    find.value = '';
    show();
  };

  find.addEventListener('input', show);
  find.addEventListener('keydown', event => {
    if (event.key === 'Escape') done();
    if (event.key === 'ArrowDown' && select.size) {
      event.preventDefault();
      select.focus();
    }
    if (event.key !== 'Enter') return;
    event.preventDefault();
    const first = matching()[0];
    if (!find.value.trim() || !first) return;
    select.value = first.value;
    done();
    touch(select.name);
  });
  select.addEventListener('keydown', event => {
    if (select.size && (event.key === 'Enter' || event.key === 'Escape')) done();
  });
  select.addEventListener('click', event => {
    if (select.size && event.target instanceof HTMLOptionElement) done();
  });
  frame?.addEventListener('focusout', event => {
    if (event instanceof FocusEvent && !(event.relatedTarget instanceof Node && frame.contains(event.relatedTarget))) done();
  });
}
