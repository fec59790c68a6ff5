"""Archives, as offices' formats are."""

import io
import zipfile
from collections.abc import Callable
from typing import Any


def packed(**parts: str) -> bytes:
    """An archive; in the names of its members `__` stands for `/` and the last `_` for a dot."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            place = ".".join(name.replace("__", "/").rsplit("_", 1))
            archive.writestr(zipfile.ZipInfo(place), content)  # the same bytes at any time
    return file.getvalue()


_RELATIONS = (
    '<Relationships><Relationship Id="r1" Type="x/slide" Target="slides/slide1.xml"/>'
    "</Relationships>"
)
_ORDER = """<p:presentation xmlns:p="p" xmlns:r="r"><p:sldIdLst><p:sldId r:id="r1"/></p:sldIdLst>
</p:presentation>"""


def pack_slide(slide: str, **parts: str) -> bytes:
    return packed(
        ppt__presentation_xml=_ORDER,
        **{"ppt___rels__presentation.xml_rels": _RELATIONS},
        ppt__slides__slide1_xml=slide,
        **parts,
    )


def saved(document: Any) -> bytes:
    """Save what a library of an office's format has made."""
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def repacked(archive: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    """Write an archive again, with what becomes of each member by its name and content."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as whole, zipfile.ZipFile(target, "w") as copy:
        for name in whole.namelist():
            copy.writestr(name, change(name, whole.read(name)))
    return target.getvalue()
