"""The teams that can be named: the user's own, and those that ship with Caveat."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from caveat.failures import invalid
from caveat.tables import read_table
from caveat.teams.team import Team

_SUFFIX = ".toml"


@dataclass(frozen=True)
class TeamCatalogue:
    """Finds teams by the name of their file, without `.toml`."""

    # Names are looked up among the files that are there, so a name never leads out of the folders.

    # of the user's own teams, in order of precedence; they win over the teams that ship with
    # Caveat, and a folder that does not exist has none
    folders: tuple[Path, ...] = ()

    def list_names(self) -> tuple[str, ...]:
        return tuple(sorted(self._index_files()))

    def read_team(self, name: str) -> Team:
        files = self._index_files()
        if name not in files:
            known = ", ".join(sorted(files))
            own = f", or describe your own in {self.folders[0]}" if self.folders else ""
            raise invalid(f"There is no team “{name}”; choose one of: {known}{own}.", resource=name)
        return read_table(files[name], "The team file", Team)

    def _index_files(self) -> dict[str, Traversable]:
        files: dict[str, Traversable] = {}
        for folder in (*self.folders, resources.files("caveat.teams")):
            for file in _list_files(folder):
                files.setdefault(file.name.removesuffix(_SUFFIX), file)
        return files


def _list_files(folder: Traversable) -> Iterator[Traversable]:
    try:
        files = list(folder.iterdir())
    except FileNotFoundError:
        return
    except OSError as error:
        raise invalid(
            f"The folder of teams {folder} cannot be read: {error.strerror}.", resource=str(folder)
        ) from None
    for file in files:
        # Editors keep hidden files next to those that they edit.
        if file.name.endswith(_SUFFIX) and not file.name.startswith("."):
            yield file
