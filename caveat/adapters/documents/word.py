"""Word documents, by mammoth: its HTML is read as any other."""

import io
from dataclasses import replace

import mammoth

from caveat.adapters.documents.archive import Archive, local_name
from caveat.adapters.documents.html import load_html
from caveat.adapters.documents.loaded import Loaded, Metadata
from caveat.adapters.documents.metadata import date_of, title_of

_STYLES = "p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => p:fresh"
_CORE = "docProps/core.xml"


def load_word(data: bytes) -> Loaded:
    """Read a .docx: headings, paragraphs, lists, tables, footnotes; pictures are left out.

    Raises:
        Unreadable: it is damaged, locked, or no such document.
    """
    archive = Archive(data)
    names = archive.names("word/document.xml")
    for name in names:  # bounds what mammoth unpacks after this
        if name.endswith((".xml", ".rels")):
            archive.content(name)
    metadata = _stated(archive) if _CORE in names else Metadata()
    drawn = mammoth.images.img_element(lambda _: {"src": ""})
    markup = mammoth.convert_to_html(
        io.BytesIO(data), style_map=_STYLES, convert_image=drawn, external_file_access=False
    ).value
    return replace(load_html(markup), metadata=metadata)


def _stated(archive: Archive) -> Metadata:
    facts = {local_name(each): each.text or "" for each in archive.tree(_CORE).iterchildren("*")}
    day = facts.get("modified") or facts.get("created") or ""
    return Metadata(title=title_of(facts.get("title", "")), published=date_of(day))
