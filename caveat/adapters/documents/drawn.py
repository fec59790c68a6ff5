"""What Office draws: the words of a diagram, the values that a chart shows, written as HTML."""

from html import escape

from lxml.etree import _Element  # type: ignore[import-untyped]  # it ships no types


def render_drawn(part: _Element) -> str:
    """Write a chart, a diagram, or a comment on a slide."""
    said = [*part.iter("{*}p"), *part.iter("{*}text")]
    text = "".join(f"<p>{render_line(each) or escape(each.text or '')}</p>" for each in said)
    series = list(part.iter("{*}ser"))
    return text + _render_chart(series) if series else text


def render_line(paragraph: _Element) -> str:
    line = ""
    for child in paragraph.iter("{*}r", "{*}fld", "{*}br"):
        facts = child.find("{*}rPr")
        rise = facts.get("baseline", "0") if facts is not None else "0"
        text = escape("".join(each.text or "" for each in child.iter("{*}t")))
        tag = "" if rise in {"0", "0%"} else "sub" if rise.startswith("-") else "sup"
        line += f"<{tag}>{text}</{tag}>" if tag and text else text or "<br>"
    return line


def _render_chart(series: list[_Element]) -> str:
    names = [_read_points(series[0], "cat") or _read_points(series[0], "xVal")]
    columns = names + [_read_points(each, "val") or _read_points(each, "yVal") for each in series]
    heads = ["", *(" ".join(_read_points(each, "tx").values()) for each in series)]
    rows = ["".join(f"<th>{escape(head)}</th>" for head in heads)]
    rows += [
        "".join(f"<td>{escape(column.get(place, ''))}</td>" for column in columns)
        for place in sorted({place for column in columns for place in column})
    ]
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def _read_points(series: _Element, name: str) -> dict[int, str]:
    points: dict[int, str] = {}
    for point in series.iterfind(f"{{*}}{name}//{{*}}pt"):
        place, value = int(point.get("idx", 0)), point.findtext("{*}v") or ""
        points[place] = f"{points[place]}, {value}" if place in points else value
    return points
