"""What tests do on a page as a reader does it, and what they read off it.

Every wait here is for an event or a state of the page, never for a time.
"""

from collections.abc import Callable

from playwright.sync_api import Locator, Page

from kvcore.page import update

type OpenPage = Callable[..., Page]

CLIFF, CLIFF_AT_32 = "53829", "13458"
"""Where the Lab's cliff is: the weights, 141,107,412,992 B, over 327,680 B a token, for a batch of 8 and of 32."""

DEFAULT_TOTAL = 8 * 8192 * 327_680
"""The whole cache at the defaults, in bytes: 8 sequences of 8,192 tokens of 327,680 B."""

PAPER = {"light": "rgb(251, 250, 247)", "dark": "rgb(22, 23, 27)"}
"""The colour of the page in each scheme."""

SAVES_DATA = (
    "Object.defineProperty(Navigator.prototype, 'connection', {configurable: true, get: () => ({saveData: true})});"
)
"""A script to begin a page with: its reader has asked the browser to save data."""

READY_MS = 60_000
"""Time for Python to boot on a busy machine: a limit for what never comes, not a measure."""

_LONGEST_PAUSE_MS = 1_000
"""More than any pause after which the page writes its address or its announcement."""

_ARRIVE = """async fragment => {
  history.replaceState(history.state, '', '#');
  const arrived = new Promise(resolve => addEventListener('hashchange', resolve, {once: true}));
  location.hash = fragment;
  await arrived;
  await window.explainer.update();
}"""


def updated(page: Page) -> None:
    """Wait until the page shows the state of its controls."""
    page.evaluate("() => window.explainer.update()")


def arrive(page: Page, fragment: str) -> None:
    """Go to a fragment of the address of the shared page, and wait until the page has seen it and shows its state."""
    finish_pauses(page)  # else the page might write the address of the state before over the fragment
    page.evaluate(_ARRIVE, fragment)


def finish_pauses(page: Page) -> None:
    """Let the pauses end after which the shared page writes its address and its announcement.

    Its clock is Playwright's, so that no test has to wait for them.
    """
    page.clock.fast_forward(_LONGEST_PAUSE_MS)


def rung(page: Page) -> str:
    """How the page's Python was booted, once it is decided; "static" where it was not."""
    answer: dict[str, str] = page.evaluate("() => window.explainer.ready")
    return answer["rung"]


def value(page: Page, slot: str) -> str | None:
    """A slot's number, exactly, as the page shows it."""
    return page.locator(f'[data-slot="{slot}"] data').first.get_attribute("value")


def numbers(page: Page) -> list[str]:
    """Every number of every slot."""
    found: list[str] = page.locator("[data-slot] data").evaluate_all("all => all.map(one => one.value)")
    return found


def text(page: Page, slot: str) -> str:
    """A slot's words."""
    return page.locator(f'[data-slot="{slot}"]').first.inner_text()


def problems(page: Page) -> str:
    """What the page says cannot be used; empty where everything can."""
    return text(page, "page.problems").strip()


def controls(page: Page) -> dict[str, str]:
    """Every named control of the page and its value, also of those that the model has no use for."""
    found: dict[str, str] = page.evaluate("""() => Object.fromEntries(
      [...document.querySelectorAll('form.kv-controls :is(input, select)[name]')]
        .filter(part => part.type !== 'radio' || part.checked)
        .map(part => [part.name, part.value]))""")
    return found


def defaults() -> dict[str, str]:
    """Every named control and its default, as kvcore answers for a request that names none."""
    answered = update({})["controls"]
    assert isinstance(answered, dict)
    return {name: str(state["value"]) for name, state in answered.items()}


def frame(page: Page, name: str) -> Locator:
    """A control with all that belongs to it: its label, its box or its choices, its range, its note."""
    return page.locator(f'form.kv-controls [data-control="{name}"]')


def box(page: Page, name: str) -> Locator:
    """The number box or the select of a control."""
    return frame(page, name).locator(f'[name="{name}"]')


def slider(page: Page, name: str) -> Locator:
    """The range beside a number box."""
    return frame(page, name).locator(f'input[type="range"][data-for="{name}"]')


def note(page: Page, name: str) -> Locator:
    """What stands under a control when there is something to say about it."""
    return frame(page, name).locator(".kv-note")


def unfold(page: Page, name: str) -> None:
    """Open the group of a control, if few readers need it and it is closed."""
    group = frame(page, name).locator("xpath=ancestor::details[not(@open)]")
    if group.count():
        group.locator("> summary").click()


def move(page: Page, name: str, to: str) -> None:
    """Set a control as a reader does, and wait for the page."""
    unfold(page, name)
    field = box(page, name).first
    kind = field.evaluate("element => element.type")
    if kind == "radio":
        frame(page, name).locator(f'input[value="{to}"]').check()
    elif kind == "select-one":
        field.select_option(to)
    else:
        field.fill(to)
        field.press("Enter")
    updated(page)


def slide(page: Page, name: str, to: str) -> None:
    """Put a slider at the stop with this value, and wait for the page."""
    unfold(page, name)
    stops = (slider(page, name).get_attribute("data-stops") or "").split()
    slider(page, name).fill(str(stops.index(to)))
    updated(page)


def answers(page: Page) -> bool:
    """Whether moving a control changes what the page shows, and to the right number."""
    move(page, "batch", "16")
    return value(page, "lab.cache_total") == str(2 * DEFAULT_TOTAL)
