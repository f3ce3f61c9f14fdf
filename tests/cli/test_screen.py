from __future__ import annotations

from webenv.cli.play import parts_of


def test_parts() -> None:
    """A long page is cut at line ends, else at spaces, else where it must be; nothing but space is lost."""
    text = "\n".join(f"line {number} has a few words" for number in range(200)) + " " + "x" * 900
    parts = parts_of("T", "https://a.example/", text, 300)
    assert all(0 < len(part.text) <= 300 for part in parts)
    assert "".join("".join(part.text.split()) for part in parts) == "".join(text.split())
    assert [part.place for part in parts] == list(range(1, len(parts) + 1))
    assert [len(part.text) for part in parts_of("T", "u", "", 300)] == [0]
