"""Files that a robot file names: they lie in its package, and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dalembert.errors import ModelError
from dalembert.mechanism.xml import Element, read_xml

#: What the top folder of a package holds; it is looked for a few folders up.
_SIGNS, _UP = ("package.xml", "model.config", "manifest.xml"), 4


@dataclass(frozen=True)
class Folder:
    """A robot file, and the folder that it may read from."""

    file: Path
    root: Path

    @staticmethod
    def of(path: str | Path, package: str | Path | None = None) -> Folder:
        """The folder is that of the package: the one that is named, or the nearest with the sign of one."""
        file = Path(path)
        if not file.is_file():
            raise ModelError(f"cannot read {file}: no such file.")
        file = file.resolve()
        ups = [file.parent, *file.parent.parents][:_UP]
        root = next((up for up in ups if any((up / sign).is_file() for sign in _SIGNS)), file.parent)
        if package is not None:
            root = Path(package).resolve()
            if not root.is_dir() or not file.is_relative_to(root):
                raise ModelError(
                    f"{file.name} does not lie in the package {package}, a folder that holds all its files."
                )
        return Folder(file, root)

    def main(self, *roots: str) -> Element:
        return read_xml(self.file, roots)

    def find(self, name: str, where: str, *under: str) -> Path:
        """A file by the name that the robot file gives it: a relative path, `package://` or `model://`."""
        plain = name
        for scheme in ("package://", "model://", "file://"):
            if plain.startswith(scheme):
                plain = plain[len(scheme) :]
        tries = [self.file.parent.joinpath(*under, plain), self.root / plain, self.file.parent / plain]
        if plain != name:  # the first folder is the name of the package
            tries += [self.root.parent / plain, self.root / Path(*Path(plain).parts[1:])]
        for one in tries:
            try:
                place = one.resolve()
                if place.is_relative_to(self.root) and place.is_file():
                    return place
            except (OSError, ValueError, RuntimeError):  # names that no file can have
                continue
        raise ModelError(
            f"{where}: there is no file '{name[:120]}' in {self.root.name}/, the folder of this robot. If it lies "
            "outside, name the folder that holds all: `package=`."
        )
