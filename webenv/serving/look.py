"""How served pages look: one small style sheet, which stands in each of them."""

from __future__ import annotations

_BASE = """
:root{color-scheme:light dark;--ink:#1c2024;--dim:#5f6b76;--line:#dfe3e8;--soft:#f5f7f9;--back:#fff;--link:#0b57b7}
@media (prefers-color-scheme:dark){:root{--ink:#e4e7ea;--dim:#98a3ad;--line:#343a41;--soft:#21262b;--back:#16191c;
--link:#8ab8ff}}
*{box-sizing:border-box}
body{margin:0 auto;padding:0 1.25rem 3rem;max-width:46rem;background:var(--back);color:var(--ink);
font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;overflow-wrap:anywhere}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
h1{font-size:1.8rem;line-height:1.25;margin:1.6rem 0 .5rem}h2{font-size:1.2rem;margin:1.6rem 0 .4rem}
h3{font-size:1rem;margin:1rem 0 .3rem}time{color:var(--dim);font-size:.9rem}
"""

PAGE = f"""{_BASE}
p{{margin:.7rem 0;white-space:pre-wrap}}article li,main li{{margin:.2rem 0}}
table{{border-collapse:collapse;display:block;overflow-x:auto;margin:1rem 0;font-size:.93rem}}
td{{border:1px solid var(--line);padding:.3rem .6rem;vertical-align:top;overflow-wrap:normal}}
tr:first-child td{{background:var(--soft)}}
header{{display:flex;flex-wrap:wrap;gap:.3rem 1.5rem;align-items:baseline;padding:1rem 0 .7rem;
border-bottom:1px solid var(--line)}}
header>a{{font-weight:600;color:var(--ink)}}
header nav ul{{display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none;margin:0;padding:0;font-size:.93rem}}
.cookie-banner,.ad{{background:var(--soft);border:1px solid var(--line);border-radius:.4rem;color:var(--dim);
font-size:.85rem;padding:.5rem .8rem;margin:.9rem 0}}
aside{{margin:1.8rem 0 0;padding:.2rem 1rem .6rem;background:var(--soft);border-radius:.5rem;font-size:.95rem}}
aside ul{{margin:.3rem 0;padding-left:1.2rem}}
.pagination{{margin:1.2rem 0;display:flex;gap:.8rem}}
.comment{{border-left:3px solid var(--line);padding:.1rem .8rem;margin:.6rem 0;color:var(--dim)}}
footer{{margin-top:2rem;padding-top:.6rem;border-top:1px solid var(--line);color:var(--dim);font-size:.88rem}}
"""
"""The style of the pages of sites."""

BAR = f"""{_BASE}
form{{display:flex;gap:.5rem;margin:1rem 0}}
input{{flex:1;min-width:0;font:inherit;color:inherit;background:var(--back);border:1px solid var(--line);
border-radius:.5rem;padding:.5rem .8rem}}
button{{font:inherit;border:1px solid var(--line);border-radius:.5rem;padding:.5rem 1rem;background:var(--soft);
color:inherit;cursor:pointer}}
.dim{{color:var(--dim);font-size:.9rem}}.rows{{list-style:none;margin:1rem 0;padding:0}}
.sites{{columns:2;column-gap:2.5rem}}@media (max-width:34rem){{.sites{{columns:1}}}}
.sites li{{display:flex;justify-content:space-between;gap:1rem;break-inside:avoid;padding:.25rem 0;
border-bottom:1px solid var(--line)}}
.sites span{{color:var(--dim);font-variant-numeric:tabular-nums}}
.hits li{{margin:0 0 1.3rem}}.hits .title{{font-size:1.1rem}}.hits p{{margin:.15rem 0}}
.turn{{display:flex;justify-content:space-between;margin:1.5rem 0}}
"""
"""The style of the server's own pages."""

_VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1">'
_STRIP = (
    "body>.webenv{margin:0 calc(50% - 50vw);padding:.35rem max(1.25rem,calc(50vw - 21.75rem));background:var(--soft);"
    "color:var(--dim);font-size:.82rem;border-bottom:1px solid var(--line)}"
)


def dressed(html: str, strip: str = "") -> str:
    """A site's document with the style of its pages, and for people's browsers a strip at its top.

    Args:
        html: the document.
        strip: what stands in the strip, HTML; empty: there is none.
    """
    style = PAGE + (_STRIP if strip else "")
    html = html.replace("</head>", f"{_VIEWPORT}<style>{style}</style></head>", 1)
    return html.replace("<body>", f'<body><div class="webenv">{strip}</div>', 1) if strip else html
