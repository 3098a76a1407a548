#!/usr/bin/python3
"""drive.py VIEWER SAMPLES WORK PART: uses the window as a person would, by keys and pointer, and looks at it
as a screen reader does. What the viewer prints goes to WORK/messages."""

import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

VIEWER, SAMPLES, WORK, PART = sys.argv[1:5]
PATIENCE_S = 60  # of a sanitizer's build beside others
TABLES = (Atspi.Role.TABLE, Atspi.Role.TREE_TABLE)


def walk(node):
    """The node and all below it, but for the lines of tables, which are many."""
    yield node
    try:
        count = 0 if node.get_role() in TABLES else node.get_child_count()
    except GLib.Error:
        return
    for index in range(min(count, 100)):
        try:
            child = node.get_child_at_index(index)
        except GLib.Error:
            continue
        if child is not None:
            yield from walk(child)


class Viewer:
    """A running viewer."""

    def __init__(self, *arguments):
        with open(os.path.join(WORK, "messages"), "ab") as messages:
            self.process = subprocess.Popen([VIEWER, *arguments], stderr=messages)
        self.window = self.wait_for("its window", self.find_window)
        self.key_to_window("windowfocus")

    def find_window(self):
        found = subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--pid", str(self.process.pid)],
            capture_output=True, text=True, check=False).stdout.split()
        return found[-1] if found else None

    def key_to_window(self, *words):
        subprocess.run(["xdotool", *words, self.window], check=True)

    def wait_for(self, what, look):
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            assert self.process.poll() is None, f"it ended with {self.process.returncode}"
            seen = look()
            if seen:
                return seen
            time.sleep(0.05)
        names = [f"{n.get_role_name()}: {n.get_name()} | {n.get_description()}" for n in self.nodes()]
        raise AssertionError(f"waited for {what}; there are\n" + "\n".join(names))

    def patience(self, seconds, look):
        """Whether it is so within that time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not look():
            time.sleep(0.02)
        return look()

    def wait_for_text(self, text):
        """In a field that is seen."""
        def look():
            for node in self.nodes():
                if node.get_role_name() == "text" and text_of(node) == text:
                    return node
            return None
        return self.wait_for(f"a field with {text}", look)

    def nodes(self):
        desktop = Atspi.get_desktop(0)
        desktop.clear_cache()
        for index in range(desktop.get_child_count()):
            application = desktop.get_child_at_index(index)
            if application is not None and application.get_process_id() == self.process.pid:
                yield from walk(application)

    def find(self, pattern, field="name"):
        for node in self.nodes():
            try:
                text = node.get_name() if field == "name" else node.get_description()
            except GLib.Error:
                continue
            if re.search(pattern, text or ""):
                return node
        return None

    def see(self, pattern, field="name"):
        return self.wait_for(f"/{pattern}/", lambda: self.find(pattern, field))

    def key(self, *keys):
        for key in keys:
            subprocess.run(["xdotool", "key", "--clearmodifiers", key], check=True)

    def type(self, text):
        subprocess.run(["xdotool", "type", "--delay", "20", text], check=True)

    def click(self, x, y):
        subprocess.run(["xdotool", "mousemove", "--window", self.window, str(x), str(y)], check=True)
        time.sleep(0.1)
        subprocess.run(["xdotool", "click", "1"], check=True)

    def drag(self, from_x, to_x, y):
        for words in (["mousemove", "--window", self.window, str(from_x), str(y)], ["mousedown", "1"],
                      ["mousemove", "--window", self.window, str((from_x + to_x) // 2), str(y)],
                      ["mousemove", "--window", self.window, str(to_x), str(y)], ["mouseup", "1"]):
            subprocess.run(["xdotool", *words], check=True)
            time.sleep(0.1)

    def wheel(self, button, modifier, x, y):
        subprocess.run(["xdotool", "mousemove", "--window", self.window, str(x), str(y), "keydown", modifier,
                        "click", button, "keyup", modifier], check=True)

    def find_role(self, pattern, role):
        for node in self.nodes():
            if node.get_role_name() == role and re.search(pattern, node.get_name() or ""):
                return node
        return None

    def press(self, pattern, role):
        """What a screen reader does to a button or a tab of that name; returns it."""
        node = self.wait_for(f"a {role} /{pattern}/", lambda: self.find_role(pattern, role))
        action = node.get_action_iface()
        assert action is not None and action.get_n_actions() > 0, f"{pattern} has no action"
        assert action.do_action(0)
        return node

    def quit(self):
        self.key("ctrl+q")
        assert self.process.wait(PATIENCE_S) == 0, f"it ended with {self.process.returncode}"


def seconds(text):
    """The window of time that the timeline's description begins with."""
    units = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1}
    found = re.match(r"(-?[0-9.]+) ?(ns|µs|ms|s)? to (-?[0-9.]+) ?(ns|µs|ms|s)?", text)
    assert found, text
    begin, begin_unit, end, end_unit = found.groups()
    return float(end) * units[end_unit or "s"] - float(begin) * units[begin_unit or "s"]


def use_the_timeline():
    viewer = Viewer("--cell", "round-robin/4", os.path.join(SAMPLES, "h200-mixed.gpuprobe"))
    timeline = viewer.see("^Timeline of mixed, round-robin with 4 streams, 288 operations")
    viewer.see("measured · NVIDIA H200")
    whole = seconds(viewer.see("nothing selected", "description").get_description())

    viewer.key("Right")
    viewer.see("selected .* on stream 0", "description")
    viewer.key("w", "w")
    viewer.wait_for("a closer window", lambda: seconds(timeline.get_description()) < whole / 3)
    viewer.key("BackSpace", "ctrl+minus", "0")
    viewer.wait_for("everything", lambda: seconds(timeline.get_description()) == whole)
    viewer.key("Escape")
    viewer.see("nothing selected", "description")

    place = timeline.get_extents(Atspi.CoordType.WINDOW)
    for step in range(30):
        before = timeline.get_description()
        viewer.click(place.x + 400 + 7 * step, place.y + 112 + 24 + 12)
        # Between two operations, or on the same one, nothing changes.
        viewer.patience(1, lambda before=before: timeline.get_description() != before)
        if "selected upload" in timeline.get_description():
            break
    viewer.see("selected upload, h2d on stream 0", "description")
    viewer.see("^chosen because$")
    viewer.see("^held by$")
    viewer.see("^bounded$")
    viewer.see("^Advice$")
    use_the_tabs(viewer)
    viewer.key("bracketright")
    viewer.see("selected fma-1, kernel on stream 0", "description")

    viewer.key("slash")
    viewer.type("downl")
    viewer.see("^192 hits$")  # the operations, and the ranges that bear their names
    viewer.key("Return")
    viewer.see("selected download, ", "description")
    viewer.key("Escape", "f")
    viewer.wait_for("the fit", lambda: seconds(timeline.get_description()) < whole / 20)

    picture = os.path.join(WORK, "picture.pdf")
    viewer.key("ctrl+e")
    viewer.see("^Export what is seen")
    viewer.wait_for_text("timeline.pdf")
    viewer.key("ctrl+a")
    viewer.type(picture)
    viewer.wait_for_text(picture)
    viewer.key("Return")
    viewer.wait_for("the picture", lambda: os.path.exists(picture) and os.path.getsize(picture) > 0)
    viewer.wait_for("the dialog to go", lambda: viewer.find("^Export what is seen") is None)
    viewer.key_to_window("windowfocus")

    viewer.key("question")
    viewer.see("^Zoom in, about the pointer$")
    for title in ("Look", "Select and follow", "Measure and mark", "Rows", "Window", "Pointer",
                  "Fold or unfold the row", "Show or hide the cells", "Close the window, quit"):
        is_shown_soon(viewer, f"^{title}$")
    viewer.key("Escape")
    viewer.wait_for("the help to go", lambda: viewer.find("^Zoom in, about the pointer$") is None)
    viewer.key_to_window("windowfocus")
    use_the_matrix(viewer)
    viewer.quit()


def use_the_tabs(viewer):
    """By their accessible names and actions; each shows what is in it."""
    for name, content in (("Range", "^Names in the range$"), ("Causes", "^Causes of waiting$"),
                          ("Operations", "^Operations$"), ("Selection", "^chosen because$")):
        tab = viewer.press(f"^{name}$", "page tab")
        viewer.wait_for(f"{name} to be chosen", lambda tab=tab: is_in(tab, Atspi.StateType.SELECTED))
        viewer.wait_for(f"what is in {name}", lambda content=content: is_shown(viewer.find(content)))
    # The handle between the panes is not far.
    for name in ("Causes", "Selection"):
        tab = viewer.find_role(f"^{name}$", "page tab")
        place = tab.get_extents(Atspi.CoordType.WINDOW)
        viewer.click(place.x + place.width // 2, place.y + place.height // 2)
        viewer.wait_for(f"{name} to be clicked", lambda tab=tab: is_in(tab, Atspi.StateType.SELECTED))


def is_in(node, state):
    try:
        node.clear_cache()
        return node.get_state_set().contains(state)
    except GLib.Error:
        return False


def text_of(node):
    try:
        node.clear_cache()
        return Atspi.Text.get_text(node, 0, Atspi.Text.get_character_count(node))
    except GLib.Error:
        return None


def is_shown_soon(viewer, pattern):
    viewer.wait_for(f"/{pattern}/ to be shown", lambda: is_shown(viewer.find(pattern)))


def is_shown(node):
    """A page that is not the one that is seen has no size."""
    return node is not None and node.get_extents(Atspi.CoordType.WINDOW).height > 0


def open_again_and_again():
    """What is left over of it, a sanitizer finds."""
    os.environ["GTK_A11Y"] = "none"  # under a sanitizer it takes minutes
    viewer = Viewer("--cell", "round-robin/4", os.path.join(SAMPLES, "h200-mixed.gpuprobe"))
    for _ in range(20):
        time.sleep(0.3)
        viewer.key("Right", "ctrl+r")
    viewer.key("alt+1")
    viewer.quit()


def use_keys_and_pointer():
    """What the help lists, beyond what the first visit does."""
    viewer = Viewer("--cell", "round-robin/4", os.path.join(SAMPLES, "h200-mixed.gpuprobe"))
    timeline = viewer.see("^Timeline of mixed, round-robin with 4 streams")
    viewer.see("nothing selected", "description")
    place = timeline.get_extents(Atspi.CoordType.WINDOW)
    middle, row = place.x + 600, place.y + 160

    def window():
        return timeline.get_description().split(";")[0]

    def changes(what, act):
        before = window()
        act()
        viewer.wait_for(what, lambda: window() != before)

    changes("closer, by the wheel", lambda: viewer.wheel("4", "ctrl", middle, row))
    viewer.key("w", "w")
    for key in ("a", "d", "ctrl+Left", "ctrl+Right", "s", "plus", "minus", "ctrl+plus", "ctrl+minus"):
        changes(key, lambda key=key: viewer.key(key))
    changes("later, by the wheel", lambda: viewer.wheel("5", "shift", middle, row))
    kept = window()
    viewer.key("ctrl+shift+1")
    changes("everything", lambda: viewer.key("Home"))
    viewer.key("ctrl+1")
    viewer.wait_for("the window kept as 1", lambda: window() == kept)
    changes("a part of the minimap", lambda: viewer.drag(place.x + 400, place.x + 500, place.y + 20))

    viewer.key("0")
    viewer.drag(place.x + 400, place.x + 600, row)
    is_shown_soon(viewer, "^Names in the range$")
    changes("the fit of what was dragged", lambda: viewer.key("f"))
    use_the_box(viewer, timeline, place)
    subprocess.run(["xdotool", "mousemove", "--window", viewer.window, "5", "300"], check=True)
    for key in ("Delete", "Down", "Up", "Right", "Left", "period", "comma", "m", "shift+m", "c", "c", "shift+c",
                "shift+e", "p", "p", "h", "shift+h", "alt+Down", "alt+Up", "bracketleft"):
        viewer.key(key)
    viewer.see("selected ", "description")
    changes("the fit of what was measured", lambda: viewer.key("Delete", "m", "f"))
    viewer.key("F9", "F9", "Escape")
    viewer.see("nothing selected", "description")
    viewer.quit()


def use_the_box(viewer, timeline, place):
    """The minimap's box is moved by its middle and made longer by its end."""
    def length():
        return seconds(timeline.get_description())

    viewer.key("0")
    time.sleep(0.3)
    whole = length()
    left, width = place.x + 180, place.width - 180
    viewer.drag(left + width // 4, left + width // 2, place.y + 20)
    viewer.wait_for("a part of the minimap", lambda: length() < whole / 2)
    before, begin = length(), timeline.get_description().split(" to ")[0]
    viewer.drag(left + 3 * width // 8, left + 5 * width // 8, place.y + 20)
    viewer.wait_for("the box elsewhere", lambda: timeline.get_description().split(" to ")[0] != begin)
    assert abs(length() / before - 1) < 0.03, (length(), before)
    # Its end lies at 3/4 now, and a margin further.
    viewer.drag(left + 3 * width // 4 + round(width / 80), left + 7 * width // 8, place.y + 20)
    viewer.wait_for("a longer box", lambda: 1.3 < length() / before < 1.7)


def open_by_dialog():
    viewer = Viewer()
    viewer.see("^Which recording")
    viewer.key("ctrl+o")
    viewer.see("^Open a recording")
    time.sleep(0.5)
    viewer.type(os.path.join(SAMPLES, "h200-batch.gpuprobe"))
    viewer.wait_for_text(os.path.join(SAMPLES, "h200-batch.gpuprobe"))
    viewer.key("Return")
    viewer.see("^single, 1 stream: makespan")
    viewer.quit()


class Source:
    """A window from which files are dragged, in the upper left corner and above the viewer's."""

    def __init__(self, *files):
        self.process = subprocess.Popen([os.environ["GP_DRAG_SOURCE"], *files])
        subprocess.run(["xdotool", "search", "--sync", "--onlyvisible", "--pid", str(self.process.pid)],
                       stdout=subprocess.DEVNULL, check=True)

    def drag_to(self, x, y):
        for words in (["mousemove", "50", "30"], ["mousedown", "1"], ["mousemove", "60", "40"],
                      ["mousemove", "90", "55"], ["mousemove", str(x - 20), str(y - 20)],
                      ["mousemove", str(x - 5), str(y)], ["mousemove", str(x), str(y)], ["mouseup", "1"]):
            subprocess.run(["xdotool", *words], check=True)
            time.sleep(0.2)
        return self.process.wait(PATIENCE_S)


def drop_files():
    """Into the empty window; then two more, one of them no recording, which get windows of their own."""
    text = os.path.join(WORK, "dropped.txt")
    with open(text, "w", encoding="utf-8") as file:
        file.write("not a recording")
    viewer = Viewer()
    viewer.see("^Which recording")
    assert Source(os.path.join(SAMPLES, "h200-batch.gpuprobe")).drag_to(640, 400) == 0
    viewer.see("^h200-batch.gpuprobe – gpuprobe$")
    viewer.see("^single, 1 stream: makespan")
    assert Source(text, os.path.join(SAMPLES, "h200-mixed.gpuprobe")).drag_to(640, 400) == 0
    viewer.see("dropped.txt is neither a recording nor a trace")
    viewer.see("^h200-mixed.gpuprobe – gpuprobe$")
    viewer.see("^h200-batch.gpuprobe – gpuprobe$")
    viewer.quit()


def use_the_matrix(viewer):
    viewer.key("alt+1")
    viewer.see("^round-robin, 4 streams: makespan 8.807 ms .*recommended")
    cell = viewer.see("^single, 1 stream: makespan 24.04 ms")
    assert cell.get_role_name() in ("push button", "button"), cell.get_role_name()
    place = cell.get_extents(Atspi.CoordType.WINDOW)
    viewer.click(place.x + place.width // 2, place.y + place.height // 2)
    viewer.see("^Timeline of mixed, single with 1 stream")


def use_a_small_window():
    """It can be small; the cells make room, and come back."""
    viewer = Viewer("--cell", "round-robin/4", os.path.join(SAMPLES, "h200-mixed.gpuprobe"))
    viewer.see("^Timeline of mixed, round-robin with 4 streams")

    def resize(width, height):
        subprocess.run(["xdotool", "windowsize", viewer.window, str(width), str(height)], check=True)

    def size():
        place = viewer.find(" – gpuprobe$").get_extents(Atspi.CoordType.WINDOW)
        return place.width, place.height

    def is_cell_seen():
        return is_shown(viewer.find("^Cells$"))

    resize(640, 480)
    viewer.wait_for("the cells to go", lambda: not is_cell_seen())
    resize(480, 320)
    viewer.wait_for("a small window", lambda: size()[0] <= 480 and size()[1] <= 320)
    viewer.key("alt+1")
    is_shown_soon(viewer, "^round-robin, 4 streams: makespan")
    assert size()[0] <= 480 and size()[1] <= 320, size()
    viewer.key("F9")
    viewer.wait_for("the cells", is_cell_seen)
    viewer.key("F9")
    viewer.wait_for("no cells", lambda: not is_cell_seen())
    resize(1000, 700)
    viewer.wait_for("the cells again", is_cell_seen)
    viewer.quit()


def begin_in_a_long_list():
    """The cell that the window begins with is seen, with its neighbours."""
    viewer = Viewer("--cell", "serving/round-robin/4", os.path.join(SAMPLES, "h200-verdict.gpuprobe"))
    viewer.see("^Timeline of serving, round-robin with 4 streams")
    height = viewer.find(" – gpuprobe$").get_extents(Atspi.CoordType.WINDOW).height

    def lines():
        places = [n.get_extents(Atspi.CoordType.WINDOW) for n in viewer.nodes()
                  if re.search("^(priority|serving|bimodal) · [0-9]+ stream", n.get_name() or "")]
        return sum(p.height > 0 and 0 < p.y < height for p in places)

    viewer.wait_for("the cells beside it", lambda: lines() >= 4)
    viewer.quit()


def damaged(name, sql):
    """A sample that is not as it should be."""
    path = os.path.join(WORK, name + ".gpuprobe")
    shutil.copy(os.path.join(SAMPLES, "h200-batch.gpuprobe"), path)
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA ignore_check_constraints = ON")
        database.executescript(sql)
    database.close()
    return path


def empty():
    path = os.path.join(WORK, "empty.gpuprobe")
    with open(path, "wb"):
        return path


def unreadable():
    """Root may read anything."""
    path = os.path.join(WORK, "secret.gpuprobe")
    shutil.copy(os.path.join(SAMPLES, "h200-batch.gpuprobe"), path)
    os.chmod(path, 0)
    return [(path, "cannot be read: Permission denied")] if os.geteuid() != 0 else []


def see_what_is_wrong_with_cells():
    """One cell is bad; the others, and other files, are as they were."""
    untraced = damaged("untraced", "UPDATE run SET op_count = 0, op_first = NULL")
    times = damaged("times", "UPDATE op SET begin = -9223372036854775807, end = 9223372036854775807 WHERE id = 3")
    viewer = Viewer("--cell", "round-robin/4", untraced, times,
                    os.path.join(SAMPLES, "h200-mixed.gpuprobe"))
    viewer.see("^This cell was not traced$")
    viewer.see("^The operations of this cell are damaged$")
    viewer.see("^Timeline of mixed, round-robin with 4 streams")
    viewer.quit()


def see_what_is_wrong():
    text = os.path.join(WORK, "text.gpuprobe")
    cut = os.path.join(WORK, "cut.gpuprobe")
    gone = os.path.join(WORK, "gone.gpuprobe")
    sample = os.path.join(SAMPLES, "h200-batch.gpuprobe")

    with open(text, "w", encoding="utf-8") as file:
        file.write("not a recording, whatever its name is")
    shutil.copy(sample, cut)
    os.truncate(cut, 30000)
    shutil.copy(sample, gone)
    for path, says in ((text, "not a SQLite database"), (cut, "is truncated"),
                       (os.path.join(WORK, "none.gpuprobe"), "cannot be read"),
                       (WORK, "is not a file"),
                       *unreadable(),
                       (damaged("other", "PRAGMA application_id = 7"), "not a gpuprobe recording"),
                       (damaged("newer", "PRAGMA user_version = 99"), "schema 99"),
                       (damaged("cells", "DELETE FROM cell"), "holds no cells"),
                       (empty(), "is empty")):
        viewer = Viewer(path)
        viewer.see(says)
        viewer.see("Open another file")
        viewer.quit()

    viewer = Viewer(gone)
    viewer.see("^single, 1 stream: makespan")
    os.remove(gone)
    viewer.see("was moved or deleted")
    place = viewer.see("^round-robin, 4 streams: makespan").get_extents(Atspi.CoordType.WINDOW)
    viewer.click(place.x + place.width // 2, place.y + place.height // 2)
    viewer.see("gone.gpuprobe cannot be read")
    viewer.key("alt+1")
    viewer.see("^round-robin, 4 streams: makespan")
    viewer.quit()

    viewer = Viewer()
    viewer.see("^Which recording")
    viewer.quit()


PARTS = {
    "visit": [use_the_timeline, begin_in_a_long_list],
    "keys": [use_keys_and_pointer, use_a_small_window],
    "reopen": [open_again_and_again],
    "drop": [drop_files],
    "errors": [open_by_dialog, see_what_is_wrong, see_what_is_wrong_with_cells],
}
for part in PARTS[PART]:
    part()
