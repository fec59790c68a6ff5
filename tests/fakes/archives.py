"""Archives, as offices' formats are."""

import io
import zipfile


def packed(**parts: str) -> bytes:
    """An archive; in the names of its members `__` stands for `/` and the last `_` for a dot."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(".".join(name.replace("__", "/").rsplit("_", 1)), content)
    return file.getvalue()
