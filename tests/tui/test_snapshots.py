"""Pictures of the screens, each with its plain text beside it."""

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from textual.pilot import Pilot

from attn_tui.compute.dots.answer import Settings
from attn_tui.compute.mask import Mask
from attn_tui.compute.precision import Precision
from attn_tui.compute.scale import Scale
from attn_tui.compute.setup import Setup
from attn_tui.files.draft import EXAMPLE, Draft
from attn_tui.tui.app import AttnApp
from tests.tui.person import MEDIUM, NARROW, WIDE, Clock, Person, settle, still

pytestmark = pytest.mark.skipif(
    sys.version_info[:2] != (3, 11), reason="pictures are drawn on the baseline, Python 3.11"
)

PICTURE = Path(__file__).parents[2] / "docs" / "screen.svg"

SnapCompare = Callable[..., bool]
Deed = Callable[[Person], Awaitable[None]]


class PlainText(SingleFileSnapshotExtension):
    """A snapshot that a review can read."""

    _write_mode = WriteMode.TEXT
    _file_extension = "txt"


class Camera:
    """Takes a picture of a screen and its text."""

    def __init__(self, compare: SnapCompare, snapshot: SnapshotAssertion) -> None:
        self._compare = compare
        self._snapshot = snapshot

    def take(
        self,
        size: tuple[int, int] = WIDE,
        draft: Draft = EXAMPLE,
        theme: str = "",
        deed: Deed | None = None,
        instrument: str = "explore",
    ) -> None:
        """Start the program, do something, and compare what is seen."""
        app = AttnApp(draft, instrument, Clock())
        if theme:
            app.theme = theme
        texts: list[str] = []

        async def prepare(pilot: Pilot[None]) -> None:
            person = Person(app, pilot, Clock())
            await settle(pilot)
            still(app)
            if deed:
                await deed(person)
            still(app)
            await pilot.pause()
            texts.append(person.text + "\n")

        alike = self._compare(app, terminal_size=size, run_before=prepare)
        assert texts[0] == self._snapshot.use_extension(PlainText)
        assert alike


@pytest.fixture
def camera(snap_compare: SnapCompare, snapshot: SnapshotAssertion) -> Camera:
    return Camera(snap_compare, snapshot)


@pytest.mark.parametrize("size", [WIDE, MEDIUM, NARROW], ids=["120x40", "80x24", "40x15"])
@pytest.mark.parametrize("theme", ["textual-dark", "textual-light", "ansi-dark", "NO_COLOR"])
def test_main_state(
    camera: Camera, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], theme: str
) -> None:
    if theme == "NO_COLOR":
        monkeypatch.setenv("NO_COLOR", "1")
        theme = ""
    camera.take(size, theme=theme)


ALL_SIZES = pytest.mark.parametrize(
    "size", [WIDE, MEDIUM, NARROW], ids=["120x40", "80x24", "40x15"]
)


@ALL_SIZES
@pytest.mark.parametrize("chart", ["bars", "jacobian", "over_d_k"])
@pytest.mark.parametrize("scale", ["linear", "log"])
def test_chart(camera: Camera, size: tuple[int, int], chart: str, scale: str) -> None:
    async def show(person: Person) -> None:
        await person.app.run_action(f"screen.tab('{chart}')")
        await person.press("l" if scale == "log" else "f5")

    camera.take(size, deed=show)


def typed(*keys: str, text: str = "", then: str = "") -> Deed:
    async def deed(person: Person) -> None:
        await person.press(*keys)
        await person.write(text)
        if then:
            await person.press(then)

    return deed


def tab_of(name: str) -> Deed:
    async def deed(person: Person) -> None:
        await person.app.run_action(f"screen.tab('{name}')")
        await person.press("f5")

    return deed


def test_gradient_on_a_narrow_screen(camera: Camera) -> None:
    camera.take(NARROW, deed=typed("t"))


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["120x40", "40x15"])
def test_error_in_the_scores(camera: Camera, size: tuple[int, int]) -> None:
    camera.take(size, deed=typed("e", text="\n1, two, 3"))


def test_error_in_d_k(camera: Camera) -> None:
    camera.take(deed=typed("d", text="0", then="enter"))


def test_error_in_a_parameter(camera: Camera) -> None:
    camera.take(MEDIUM, deed=typed("r", "end", "enter", text="T=-1", then="enter"))


def test_overflow(camera: Camera) -> None:
    setup = Setup(precision=Precision("float32", stable=False))
    camera.take(MEDIUM, Draft("100, 120, 150", setup))


def test_every_key_masked(camera: Camera) -> None:
    camera.take(MEDIUM, Draft("-inf, -inf"))


def test_a_thousand_keys(camera: Camera) -> None:
    scores = ", ".join(str((7 * key) % 1000 / 10) for key in range(1000))
    camera.take(WIDE, Draft(scores), deed=typed("tab", "end"))


def test_rule_dialogue(camera: Camera) -> None:
    camera.take(MEDIUM, deed=typed("r"))


@ALL_SIZES
def test_models(camera: Camera, size: tuple[int, int]) -> None:
    camera.take(size, deed=typed("h"))


@ALL_SIZES
def test_sources(camera: Camera, size: tuple[int, int]) -> None:
    camera.take(size, deed=typed("f"))


@ALL_SIZES
def test_examples(camera: Camera, size: tuple[int, int]) -> None:
    camera.take(size, deed=typed("x"))


@ALL_SIZES
def test_drawn_scores(camera: Camera, size: tuple[int, int]) -> None:
    camera.take(size, Draft("n = 1000, seed = 7, vectors = 2", Setup(d_k=64), "drawn"))


@ALL_SIZES
@pytest.mark.parametrize("tab", ["weights", "vectors"])
def test_scores_from_q_and_k(camera: Camera, size: tuple[int, int], tab: str) -> None:
    text = "q: 1, 0, 2\nK: [[1, 0, 1], [0, 1, 0], [0.5, 0.5, -1]]\nV: [[10, 0], [0, 20], [3, 3]]"
    camera.take(size, Draft(text, Setup(), "vectors"), deed=tab_of(tab))


@ALL_SIZES
def test_precision_lab(camera: Camera, size: tuple[int, int]) -> None:
    camera.take(size, deed=tab_of("precision"))


@ALL_SIZES
def test_comparison(camera: Camera, size: tuple[int, int]) -> None:
    camera.take(size, Draft("a: 1, 2, 3\nb: 3, 1"), deed=typed("equals_sign", "v"))


@ALL_SIZES
def test_cap_sink_and_mask(camera: Camera, size: tuple[int, int]) -> None:
    scale = Scale("fixed", (("a", 144.0),), softcap=50.0, sink=0.0)
    setup = Setup(128, scale, Precision("bfloat16", scores="float16"), Mask(((1, 2),)))
    camera.take(size, Draft("a: 100, 120, 150, 90", setup), deed=typed("tab", "space", "down"))


@ALL_SIZES
def test_jacobian_of_many_keys(camera: Camera, size: tuple[int, int]) -> None:
    draft = Draft("n = 1000, seed = 7", Setup(d_k=64), "drawn")
    camera.take(size, draft, deed=tab_of("jacobian"))


def test_file_to_open(camera: Camera) -> None:
    camera.take(MEDIUM, deed=typed("ctrl+o", text="nothing.npy", then="enter"))


@pytest.mark.parametrize("size", [MEDIUM, NARROW], ids=["80x24", "40x15"])
def test_explanation(camera: Camera, size: tuple[int, int]) -> None:
    camera.take(size, deed=typed("tab", "question_mark"))


def test_keys(camera: Camera) -> None:
    camera.take(MEDIUM, deed=typed("f1"))


def test_palette(camera: Camera) -> None:
    camera.take(MEDIUM, deed=typed("ctrl+p", text="undo"))


def test_ascii(camera: Camera) -> None:
    async def deed(person: Person) -> None:
        await person.app.run_action("app.ascii")
        await settle(person.pilot)

    camera.take(MEDIUM, deed=deed)


def test_picture_in_the_readme_is_of_the_present_screen(request: pytest.FixtureRequest) -> None:
    """Kept by `pytest --snapshot-update`, like the other pictures."""
    import asyncio

    async def draw() -> str:
        app = AttnApp(EXAMPLE, clock=Clock())
        async with app.run_test(size=WIDE) as pilot:
            await settle(pilot)
            still(app)
            return app.export_screenshot()

    picture = asyncio.run(draw())
    if request.config.getoption("update_snapshots"):
        PICTURE.write_text(picture, "utf-8")
    assert PICTURE.read_text("utf-8") == picture


DOTS = Setup(d_k=64).put(Settings(samples=50_000, seed=7))


def dots(camera: Camera, size: tuple[int, int], *keys: str, theme: str = "") -> None:
    camera.take(size, Draft("a: 1, 2", DOTS), theme, typed(*keys, "f5"), "dots")


@ALL_SIZES
def test_dots(camera: Camera, size: tuple[int, int]) -> None:
    dots(camera, size)


@pytest.mark.parametrize("theme", ["ansi-light", "NO_COLOR"])
def test_dots_theme(camera: Camera, monkeypatch: pytest.MonkeyPatch, theme: str) -> None:
    if theme == "NO_COLOR":
        monkeypatch.setenv("NO_COLOR", "1")
        theme = ""
    dots(camera, WIDE, theme=theme)


@ALL_SIZES
@pytest.mark.parametrize("tab", ["growth", "table", "derivation"])
def test_dots_tab(camera: Camera, size: tuple[int, int], tab: str) -> None:
    camera.take(size, Draft("a: 1, 2", DOTS), deed=tab_of(tab), instrument="dots")


@pytest.mark.parametrize("tab", ["draws", "histogram"])
def test_dots_tab_that_only_a_narrow_screen_has_to_be_told(camera: Camera, tab: str) -> None:
    camera.take(NARROW, Draft("a: 1, 2", DOTS), deed=tab_of(tab), instrument="dots")


@ALL_SIZES
def test_dots_with_an_error(camera: Camera, size: tuple[int, int]) -> None:
    camera.take(size, Draft("a: 1, 2", DOTS), "", typed("n", text="0", then="enter"), "dots")


def test_dots_tied(camera: Camera) -> None:
    dots(camera, WIDE, "T", "c", "1", "enter", "l")
