"""The gallery's files: every figure in the states worth looking at, as tests/kvcore/page/gallery/*.svg, written anew.

Run it after a change of how figures are drawn, and look at what git says has changed, on the site's page gallery.html.
"""

from site_hooks import environment
from site_hooks.environment import ROOT

FOLDER = ROOT / "tests" / "kvcore" / "page" / "gallery"


def main(_: list[str]) -> int:
    """Write every file, and remove those of states that are no more."""
    from kvcore.page.draw.standalone import standalone  # noqa: PLC0415 - only .venv has kvcore
    from kvcore.page.printed.gallery import pictures  # noqa: PLC0415

    FOLDER.mkdir(exist_ok=True)
    written = {f"{picture.name}.svg": standalone(picture.drawing) + "\n" for picture in pictures()}
    for path in FOLDER.glob("*.svg"):
        if path.name not in written:
            path.unlink()
    for name, text in written.items():
        (FOLDER / name).write_text(text, encoding="ascii")
    print(f"site_hooks: {len(written)} drawings in {FOLDER.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    environment.step("site_hooks.gallery", main)
