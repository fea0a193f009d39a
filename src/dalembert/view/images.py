"""Pictures and videos of a scene as files, without a display: PNG, SVG, PDF; GIF, MP4, WEBM."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import SimulationError
from dalembert.files import check_suffix, written_whole
from dalembert.view.paint import lens_of, paint
from dalembert.view.scene import Scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURES, VIDEOS = (".png", ".svg", ".pdf"), (".gif", ".mp4", ".webm")
_DPI = 120
_PIXELS = 65_535
"""In a row or column of a PNG, at most: what its writer can make."""
_MOST_FRAMES = 1200


def write_picture(figure: Figure, path: str | os.PathLike[str]) -> None:
    """A figure as a file, of the kind that the name says."""
    import matplotlib as mpl

    check_suffix(path, PICTURES, "a picture is a PNG, SVG or PDF")
    kind = Path(path).suffix.lower().lstrip(".") or "png"
    wide, high = (round(_DPI * x) for x in figure.get_size_inches())
    if kind == "png" and max(wide, high) > _PIXELS:
        raise SimulationError(
            f"the picture is {wide} by {high} points, and a PNG has {_PIXELS} at most in a row. "
            "Write an SVG or PDF, or draw a part of the machine."
        )
    with mpl.rc_context({"svg.fonttype": "none"}), written_whole(path) as file:  # text stays text
        figure.savefig(file, format=kind, dpi=_DPI, facecolor=figure.get_facecolor())


def written(figure: Figure, path: str | os.PathLike[str] | None) -> Figure:
    """The figure, as a file too if a path is given."""
    if path is not None:
        write_picture(figure, path)
    return figure


def draw(
    scene: Scene,
    path: str | os.PathLike[str] | None = None,
    *,
    t: float | None = None,
    towards: Sequence[float] | None = None,
    dark: bool = False,
) -> Figure:
    """A figure of a scene at a time (its first when not said), seen as its animation is, or from `towards`."""
    if path is not None:
        check_suffix(path, PICTURES, "a picture is a PNG, SVG or PDF")
    direction = None if towards is None else np.array([float(x) for x in towards])
    if direction is not None and (direction.shape != (3,) or not np.linalg.norm(direction) > 0):
        raise SimulationError(f"towards={towards!r} is no direction: give three numbers, not all zero.")
    frame = 0 if t is None else int(np.searchsorted(scene.times, t, side="right")) - 1
    return written(paint(scene, max(frame, 0), towards=direction, dark=dark), path)


def write_video(
    scene: Scene,
    path: str | os.PathLike[str],
    *,
    fps: float = 20.0,
    speed: float | None = None,
    size: tuple[int, int] = (960, 540),
    dark: bool = False,
) -> None:
    """A motion as a GIF (Pillow writes it), or as MP4 or WEBM, for which an ffmpeg must be installed."""
    check_suffix(path, VIDEOS, "a video is a GIF, MP4 or WEBM")
    if len(scene.times) < 2:
        raise SimulationError(f"'{scene.name}' does not move: a video needs a motion. `draw` makes a picture.")
    if not fps > 0 or (speed is not None and not speed > 0):
        raise SimulationError("a video needs a positive speed and a positive number of frames a second.")
    kind = Path(path).suffix.lower() or ".gif"
    ffmpeg = None if kind == ".gif" else _ffmpeg(kind)
    length = float(scene.times[-1] - scene.times[0]) / (speed or scene.speed)
    count = int(np.clip(round(length * fps), 2, _MOST_FRAMES))
    wanted = np.linspace(scene.times[0], scene.times[-1], count)
    frames = np.clip(np.searchsorted(scene.times, wanted, side="right") - 1, 0, len(scene.times) - 1)
    with written_whole(path) as file, tempfile.TemporaryDirectory() as folder:  # what cannot be written is not painted
        pictures = list(_painted(scene, frames, size, dark, Path(folder)))
        if ffmpeg is None:
            _gif(pictures, file, fps)
        else:
            target = Path(folder) / f"video{kind}"
            _run(ffmpeg, Path(folder), target, fps)
            file.write(target.read_bytes())


def _painted(scene: Scene, frames: np.ndarray, size: tuple[int, int], dark: bool, folder: Path) -> list[Path]:
    from matplotlib.figure import Figure

    width, height = (x - x % 2 for x in size)  # codecs want even numbers
    figure = Figure(figsize=(width / 100, height / 100), dpi=100)
    lens = lens_of(scene, width / height)
    found = []
    for k, frame in enumerate(frames):
        paint(scene, int(frame), figure=figure, lens=lens, dark=dark)
        found.append(folder / f"{k:05d}.png")
        figure.savefig(found[-1], dpi=100, facecolor=figure.get_facecolor())
    return found


def _gif(pictures: list[Path], file: object, fps: float) -> None:
    from PIL import Image

    images = []
    for path in pictures:
        with Image.open(path) as one:
            images.append(one.convert("RGB").quantize(128))
    images[0].save(file, format="GIF", save_all=True, append_images=images[1:], duration=round(1000 / fps), loop=0)  # type: ignore[arg-type]


def _ffmpeg(kind: str) -> str:
    found = shutil.which("ffmpeg")
    if found is None:
        try:
            import imageio_ffmpeg
        except ImportError:
            raise SimulationError(
                f"a {kind} file needs ffmpeg, and none was found: install ffmpeg or the package imageio-ffmpeg, or "
                "write a .gif, which needs neither."
            ) from None
        found = str(imageio_ffmpeg.get_ffmpeg_exe())
    return found


def _run(ffmpeg: str, folder: Path, target: Path, fps: float) -> None:
    codec = (
        ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "20"] if target.suffix == ".mp4" else ["-c:v", "libvpx-vp9"]
    )
    command = [ffmpeg, "-y", "-loglevel", "error", "-framerate", f"{fps:g}", "-i", str(folder / "%05d.png"), *codec]
    done = subprocess.run([*command, str(target)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SimulationError(f"ffmpeg could not write the video: {done.stderr.strip()[-300:]}. Write a .gif instead.")
