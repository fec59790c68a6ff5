import os
import re
from pathlib import Path
from zipfile import ZipFile

import pytest
from openpyxl import Workbook

from caveat.adapters.documents.loaded import Loaded
from caveat.adapters.documents.loaders import SIZE_LIMIT, load
from caveat.contracts.envelope import FailureCategory, FailureType
from caveat.failures import PortFailure
from tests.fakes.archives import packed

SPANISH = (
    "La investigación científica señala que los niños pequeños aprenden más rápido. También se "
    "observó que el año pasado hubo una disminución."
)
FRENCH = "Les élèves ont étudié à la bibliothèque. "


ARCHIVES = ("docx", "odt", "epub")
NO_ARCHIVES = (b"words", b"PK\3\4 and then nothing", packed({"a": "b"}))
OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
LOCK = "<m><e><encryption-data/></e></m>"


def written(folder: Path, name: str, content: str | bytes) -> Loaded:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return load(path)


def failure_of(folder: Path, name: str, content: bytes) -> tuple[FailureCategory, FailureType, str]:
    with pytest.raises(PortFailure) as caught:
        written(folder, name, content)
    failure = caught.value.failure
    assert failure.resource == str(folder / name)
    return failure.category, failure.failure_type, failure.message


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (FRENCH, "utf-8-sig"),
        (FRENCH, "utf-16"),
        (f"\ufeff{FRENCH}", "utf-16-be"),
        (SPANISH, "cp1252"),
        ("Le château coûte 5 euros par personne et il est fermé à midi.", "mac_roman"),
        ("Le château coûte 5 euros par personne et il est fermé à midi.", "cp1252"),
        ("Это русский текст, который нужно определить, иначе цитаты неверны.", "cp1251"),
        ("Gerät;Länge (m)\nSäge;12,5\n", "utf-16-le"),
        ("Gerät;Länge (m)\nSäge;12,5\n", "utf-16-be"),
        ("品名;価格\nポンプ;1200円\nバルブは青い。\n", "cp932"),
        ("Ort;Fläche\nMünchen;310,7\nKöln;405,0\n", "cp1252"),  # ¸ stands in no word
        ("\n".join(["weir"] * 20_000 + ["Gerät;Länge", "Säge;Fräse"]), "mac_roman"),
        ("堰の高さは十二メートルです。花崗岩で作られています。", "cp932"),
        ("这座堰高十二米，用花岗岩建造。当地的渔民每年春天都要修理它。", "gb18030"),
        ("堰の高さは十二メートルです。", "iso2022_jp"),
        ("The weir is twelve metres high.", "utf-32"),
        ("강 위의 다리는 시월에 개통되었다. 길이는 십이 미터이다.", "euc_kr"),
        ("Irmağın üzerindeki köprü ekim ayında açıldı. Uzunluğu on iki metre.", "cp1254"),
        ("城市;价格\n北京;12\n上海的水泵\n", "gb18030"),
        ("Łódź;żółty;12\nGdańsk;ćma;3\n", "cp1250"),
        ("Город;Цена\nМосква;12\nТула;Привет\n", "koi8_r"),
    ],
)
def test_bytes_that_allow_one_reading_are_read(tmp_path: Path, text: str, encoding: str) -> None:
    shown = written(tmp_path, "a.txt", text.encode(encoding)).snapshot.text
    assert shown.split() == text.strip("\ufeff").split()


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("random.txt", bytes(range(128, 256)) * 20, "encoding"),
        ("ambiguous.txt", "Vil;\u00c9t\u00e8\n".encode("cp1252"), "it may be cp1252"),
        ("nul.md", b"text\x00more", "encoding"),
        ("nul.txt", b"The weir\x00 stands", "encoding"),
        ("bogus.html", b'<meta charset="no-such"><p>V \xe8', "encoding"),
        ("empty.md", b"", "empty"),
        ("blank.md", b" \n\n ", "no text"),
        ("only-script.html", b"<script>x</script>", "no text"),
        ("broken.pdf", b"%PDF-1.7 and then nothing", "damaged"),
        *((f"a.{ending}", data, "damaged") for ending in ARCHIVES for data in NO_ARCHIVES),
        ("words.ipynb", b"words", "damaged"),
        ("list.ipynb", b"[1]", "damaged"),
        ("a.json", b'{"lock": "Tarn",\n"weir": }\n', "damaged"),
        ("a.eml", b"\0\1no message", "encoding"),
        ("a.csv", b'a,b\n"' + b"x" * 200_000 + b'",1\n', "damaged"),
        ("locked.xlsx", OLD_OFFICE + "EncryptedPackage".encode("utf-16-le"), "a password"),
        ("old.xlsx", OLD_OFFICE, "is in an old format of Office"),
        ("locked.odt", packed({"content.xml": "\1\2", "META-INF/manifest.xml": LOCK}), "password"),
        ("large.txt", b"x" * (SIZE_LIMIT + 1), "20 MB"),
    ],
)
def test_broken_documents_have_names(tmp_path: Path, name: str, data: bytes, says: str) -> None:
    category, kind, message = failure_of(tmp_path, name, data)
    assert (category, kind) == (FailureCategory.VALIDATION, FailureType.PERMANENT)
    assert says in message
    assert message.endswith(".")


def test_gone_and_forbidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PortFailure) as gone:
        load(tmp_path / "gone.md")
    assert gone.value.failure.failure_type is FailureType.NOT_FOUND

    (tmp_path / "a.md").write_text("text")
    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(PortFailure) as caught:
        load(tmp_path / "a.md")
    assert caught.value.failure.failure_type is FailureType.AUTH_ERROR
    assert caught.value.failure.category is FailureCategory.PERMISSION


def refused(*_: object, **__: object) -> int:
    raise PermissionError(13, "no")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
def test_mail_of_windows_is_read(tmp_path: Path, encoding: str) -> None:
    loaded = written(tmp_path, "a.eml", "Subject: Pumps\n\nGröße 12.\n".encode(encoding))
    assert (loaded.metadata.title, loaded.snapshot.text) == ("Pumps", "Pumps\n\nGröße 12.")


def test_headers_of_raw_bytes_are_decoded_and_cost_no_message(tmp_path: Path) -> None:
    latin = "Subject: Maße für\n Pumpen\nFrom: Jörg Groß <a@b.example>\n\nText.\n".encode("latin-1")
    facts = written(tmp_path, "a.eml", latin).metadata
    assert (facts.title, facts.authors) == ("Maße für Pumpen", ("Jörg Groß",))
    message = b"Subject: Pumps \xe2\x80\x8f\x9d\nFrom: Ann\xff\x9d <a@b.example>\n\nText.\n"
    loaded = written(tmp_path, "b.eml", message)
    assert loaded.snapshot.text.endswith("Text.")
    assert loaded.metadata.authors == ("Ann\ufffd\ufffd",)


MAIL = b"From: a@example.org\nSubject: %s\nContent-Type: text/plain; charset=%s\n\n%s\n\n"


def test_an_odd_message_costs_no_other(tmp_path: Path) -> None:
    box = b"From a\n" + MAIL % (b"One", b"utf-8", b"The key hangs behind the boiler.")
    box += b"From b\n" + MAIL % (b"Odd", b"x-unknown", b"\xff\xfe\x00")
    box += b"From c\n\nNo header lines here.\n\n"
    box += b"From d\n" + MAIL % (b"Two\nDate: 5 May 2025 09:00", b"utf-8", b"See you.")
    loaded = written(tmp_path, "a.mbox", box)
    shown = loaded.snapshot.text.split("\n\n")
    assert {"The key hangs behind the boiler.", "No header lines here.", "See you."} <= set(shown)
    assert [loss.partition(":")[0] for loss in loaded.losses] == ["message 2", "message 3"]
    assert loaded.metadata.published is None


def test_a_strict_workbook_is_read(tmp_path: Path) -> None:
    book, usual = Workbook(), tmp_path / "usual.xlsx"
    book.worksheets[0].append(["Weir", 12])
    book.save(usual)
    with ZipFile(usual) as old, ZipFile(tmp_path / "strict.xlsx", "w") as new:
        for name in old.namelist():
            usual_names = rb"schemas.openxmlformats.org/(spreadsheetml|officeDocument)/2006/"
            part = re.sub(usual_names, rb"purl.oclc.org/ooxml/\1/", old.read(name))
            new.writestr(name, part if name.startswith("xl/w") else old.read(name))
    assert "Weir\t12" in load(tmp_path / "strict.xlsx").snapshot.text


def test_what_is_not_read_is_not_called_empty(tmp_path: Path) -> None:
    content = b'<o xmlns:t="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><mi>energy</mi></o>'
    with ZipFile(tmp_path / "formula.odt", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text")
        archive.writestr("content.xml", b"<o/>")
        archive.writestr("Object 1/content.xml", content)
    with pytest.raises(PortFailure, match="is not read: Object 1/content: a word not read"):
        load(tmp_path / "formula.odt")
