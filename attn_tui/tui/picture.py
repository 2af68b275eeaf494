"""The screen as a picture."""

from typing import Any

from textual.screen import Screen


def picture_of(screen: Screen[Any]) -> str:
    """Return a screen as a picture, without what pops up over it for some seconds."""
    racks = [rack for rack in screen.query("ToastRack") if rack.display]
    for rack in racks:
        rack.display = False
    # What is hidden is in the picture until all is laid out, which nothing public does at once.
    screen._compositor.reflow(screen, screen.size)
    picture = screen.app.export_screenshot()
    for rack in racks:
        rack.display = True
    return picture
