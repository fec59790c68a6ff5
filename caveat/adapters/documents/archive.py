"""Documents that are archives: ZIP files with XML inside, unpacked within bounds."""

import io
import zipfile
import zlib

import lxml.etree  # type: ignore[import-untyped]  # it ships no types
from lxml.etree import _Element

from caveat.adapters.documents.loaded import Unreadable, Why

_UNPACKED = 100 * 1000 * 1000
"""Bytes that one archive may hold, unpacked; a book with pictures has a third, and pictures are
not unpacked."""


class Archive:
    """The members of a ZIP file, by name.

    Raises:
        Unreadable: it is no archive, damaged, encrypted, or holds more than is unpacked.
    """

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError) as error:
            raise Unreadable from error
        self._left = _UNPACKED

    def names(self, wanted: str) -> frozenset[str]:
        """Return the names of the members; without the one that is wanted, it is damaged."""
        names = frozenset(self._zip.namelist())
        if wanted not in names:
            raise Unreadable
        return names

    def content(self, name: str) -> bytes:
        """Return one member; a name that is none is damage."""
        try:
            with self._zip.open(name) as member:
                data = member.read(self._left + 1)
        except RuntimeError as error:  # zipfile's word for what is encrypted
            raise Unreadable("is locked with a password") from error
        except (KeyError, zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError) as error:
            raise Unreadable from error
        self._left -= len(data)
        if self._left < 0:
            raise Unreadable("unpacks to more than is read of one document", Why.TOO_LARGE)
        return data

    def tree(self, name: str) -> _Element:
        """Return one member, which is XML; no entity is resolved and nothing else is opened."""
        parser = lxml.etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, recover=True
        )
        root = lxml.etree.fromstring(self.content(name), parser)
        if root is None:
            raise Unreadable
        return root


def local_name(element: _Element) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]
