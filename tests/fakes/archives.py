"""Archives, as offices' formats are."""

import io
import zipfile
from collections.abc import Mapping


def packed(members: Mapping[str, str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)  # the same bytes at any time
    return file.getvalue()
