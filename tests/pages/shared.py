"""A page that many tests use one after the other, and the proof that each of them finds it as it was opened."""

from playwright.sync_api import Page

from tests.pages.actions import arrive, controls, defaults, finish_pauses, rung

_LEAVE = """async () => {
  document.activeElement.blur();
  getSelection().removeAllRanges();
  for (const field of document.querySelectorAll('#kv-find, #kv-import :is(input, textarea)')) {
    if (field.value === '') continue;
    field.value = '';
    field.dispatchEvent(new Event('input', {bubbles: true}));
  }
  await window.explainer.update();
}"""
"""Takes the focus, the selection, and what was typed outside the controls."""

_REST = """() => {
  for (const details of document.querySelectorAll('details')) details.open = false;
  for (const box of document.querySelectorAll('.kv-scroll')) box.scrollLeft = 0;
  document.getElementById('kv-live').textContent = '';
  document.getElementById('kv-link').hidden = true;
  history.replaceState(null, '', location.pathname);
  scrollTo({top: 0, left: 0, behavior: 'instant'});
}"""
"""Takes what the state of the controls does not bring back by itself."""

_CHANGES = """() => {
  const fields = [...document.querySelectorAll('input, select, textarea')];
  const now = [
    // What is absent, empty or false says the same.
    ...document.querySelector('article').innerHTML.replaceAll(/ (aria-invalid="false"|class="")/g, '').split('<'),
    ...fields.map(({name, id, value, checked, disabled, size, hidden}) => JSON.stringify([name || id, value, checked, disabled, size, hidden])),
    ...[...document.querySelectorAll('.kv-scroll')].map(box => `scrolled by ${box.scrollLeft}`),
    `scrolled to ${scrollX}, ${scrollY}`, `focus on ${document.activeElement.localName}`, `selected ${getSelection()}`,
    `Python ${document.documentElement.dataset.python}`, `address ${location.hash}`,
  ];
  window.asOpened ??= now;
  return now.map((line, at) => line === window.asOpened[at] ? '' : `${window.asOpened[at]} -> ${line}`).filter(Boolean).slice(0, 5);
}"""
"""What is not as it was when this was first asked: text, attributes, values, positions, focus."""


class SharedPage:
    """The article in one window, brought back to how it was opened before each test that uses it."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self._address = address
        page.clock.install()

    def reset(self) -> Page:
        """The page at its defaults: by undoing what was done to it, or by loading it again where that is not enough."""
        self.page.set_viewport_size({"width": 1280, "height": 900})
        self.page.emulate_media(color_scheme="light", reduced_motion="reduce", media="screen")
        if not self.page.url.startswith(self._address) or self._undo():
            self._load()
        assert controls(self.page) == defaults()
        return self.page

    def _load(self) -> None:
        self.page.goto("about:blank")
        self.page.goto(self._address)
        assert rung(self.page) == "delta"
        arrive(self.page, "v2&batch=32")  # the first answer adds attributes that the built page has not
        self._undo()

    def _undo(self) -> list[str]:
        """What could not be undone."""
        self.page.evaluate(_LEAVE)
        arrive(self.page, "v2&")
        finish_pauses(self.page)
        self.page.evaluate(_REST)
        changes: list[str] = self.page.evaluate(_CHANGES)
        return changes
