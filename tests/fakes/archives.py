"""Archives, as offices' formats are."""

import io
import zipfile


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
