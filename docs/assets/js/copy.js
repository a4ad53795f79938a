/** Enables the buttons that copy the text of a slot, which they name in `data-copy`. Without a clipboard the text is selected instead. */
export function offerCopies() {
  for (const button of /** @type {HTMLButtonElement[]} */ ([...document.querySelectorAll('button[data-copy]')])) {
    button.disabled = false;
    button.addEventListener('click', async () => {
      const text = document.querySelector(`[data-slot="${button.dataset.copy}"] code`);
      if (!text) return;
      try {
        await navigator.clipboard.writeText(text.textContent ?? '');
        button.dataset.state = 'copied';
      } catch {
        getSelection()?.selectAllChildren(text);
        button.dataset.state = 'shown';
      }
    });
    button.addEventListener('blur', () => { delete button.dataset.state; });
  }
}
