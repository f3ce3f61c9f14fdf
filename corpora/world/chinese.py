"""Chinese: what a simulated world's language decides, in simplified characters."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import ClassVar

from webenv.corpora.document import without_link_targets
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.language import WHO, WHOM, WHOSE, WorldLanguage, round_figure
from webenv.corpora.world.model import WorldValue
from webenv.corpora.world.schema import KindSpec, ValueType
from webenv.corpora.world.wording import NOW, Style

_HAN = re.compile(r"[\u4e00-\u9fff]+|[a-z0-9]+")
_ENDS = "。！？…"
_CLOSING = "”）》"
_TOWN_ENDS = "镇市县乡埠集堡"
_SHORT = {"米": "m", "公里": "km", "公斤": "kg", "毫米": "mm", "厘米": "cm", "克": "g", "吨": "t"}
_LATE = 30  # years after which nobody counts them
_DIGITS = "零一二三四五六七八九"
_MASKS = {"person": "某人", "org": "某个机构", "thing": "某个事物", "name": "某个名称"}
_SLIPS = (
    ("的", "得"),
    ("在", "再"),
    ("已", "以"),
    ("做", "作"),
    ("座", "坐"),
    ("那", "哪"),
    ("像", "象"),
    ("账", "帐"),
)
_SUBJECTS = re.compile(r"^它(?=[^的们与和跟同、，是为]|为了)")
_MARKS = re.compile(r"([，。；：！？])[，。；：]+")

_SITE_NAMES = {
    "encyclopedia": ("{}百科", "{}全书", "知{}", "{}词条网"),
    "paper": ("{}晚报", "{}日报", "{}商报", "今日{}", "{}都市报"),
    "news": ("{}通讯社", "{}新闻网", "{}快讯"),
    "forum": ("{}论坛", "{}社区", "{}茶馆"),
    "directory": ("{}名录", "{}企业黄页", "{}单位大全"),
    "catalogue": ("{}评测", "{}好物", "{}导购"),
    "blog": ("{}手记", "{}漫游", "{}随笔"),
    "magazine": ("{}评论", "{}文艺", "《{}》季刊"),
    "heritage": ("{}文物名录", "{}历史建筑网", "{}遗产登记"),
    "council": ("{}政务网", "{}公报", "{}人民政府"),
    "journal": ("{}学报", "{}科学通报", "{}学刊"),
    "guide": ("{}旅游网", "游{}", "步行{}"),
    "club": ("{}体育", "{}社团网", "{}俱乐部联盟"),
    "almanac": ("{}年鉴", "{}问答", "{}数据"),
}
_ABOUT = {
    "encyclopedia": "人物、建筑、企业、社团、作品和事件的百科词条",
    "paper": "本地报纸：社会新闻、获奖、纠纷与讣告",
    "news": "通讯社的新闻稿",
    "forum": "街坊邻里关于建筑、企业、产品和社团的问答",
    "directory": "企业、学校、医院等单位的简介",
    "catalogue": "各类产品的测试与比较",
    "blog": "一个闲人的走访笔记：地方、建筑与物件",
    "magazine": "谈书、电影、音乐、绘画及其作者的文章",
    "heritage": "历史建筑和工程的登记册",
    "council": "各级政府的公告和会议纪要：建筑、机构、法规与事件",
    "journal": "研究论文：调查、物种与考察",
    "guide": "给游客的指南：城镇、公园与名胜",
    "club": "俱乐部、球队和社团",
    "almanac": "名单、年表和各类小问题的答案",
}
_SAID = {
    "Town": "城镇",
    "Year": "年份",
    "Coordinates": "坐标",
    "today": "今",
    "place": "地方",
    "places": "地方",
    "a life": "生平",
    "people": "人物",
    "By ": "作者：",
    "About {site}": "关于{site}",
    "Imprint": "版权信息",
    "Privacy": "隐私政策",
    "Contact": "联系我们",
    "Newsletter": "邮件订阅",
    "Who we are": "我们的团队",
    "Search": "搜索",
    "Page not found": "页面不存在",
    "Home": "首页",
    "About": "关于我们",
    "Share": "分享",
    "Send": "转发",
    "Print": "打印",
    "Address": "邮箱",
    "Subscribe": "订阅",
    "Last edited on ": "最后编辑：",
    "Entered on ": "登记日期：",
    "Published ": "发表于",
    "← Older": "← 上一篇",
    "Newer →": "下一篇 →",
    "Next": "下一页",
    "Pages": "分页",
    "Contents": "目录",
    "Breadcrumb": "当前位置",
}


class Chinese(WorldLanguage):
    """Chinese: no articles or plurals, but measure words; surnames come first, and large numbers in units of 万."""

    code = "zh"
    folder = "zh"
    chrome = "chrome_zh.txt"
    space = ""
    dashes = ("——", "：", "，")
    currencies = ("{}元",)
    spokesman = "一位负责人"
    speakers = ("一位游客", "一位街坊", "一位在场者")
    site_names: ClassVar = _SITE_NAMES
    about: ClassVar = _ABOUT
    idle: ClassVar = frozenset()

    # ── names ─────────────────────────────────────────────────────────────────

    def person(self, first: str, middle: str, surname: str) -> str:
        return f"{surname}{first}"

    def surname(self, name: str) -> str:
        return name

    def stem(self, town: str) -> str:
        return town[:-1] if len(town) > 2 and town[-1] in _TOWN_ENDS else town

    def with_profession(self, profession: str, name: str) -> str:
        return f"{profession}{name}"

    # ── references ────────────────────────────────────────────────────────────

    def in_office(self, sentence: str, name: str, post: str) -> str:
        return sentence

    def former(self, post: str) -> str:
        return f"前{post}"

    def pronouns(self, sex: str, pronoun: str) -> tuple[str, str, str]:
        word = {"f": "她", "m": "他"}.get(sex, "它")
        return word, f"{word}的", word

    def own(self, sex: str) -> str:
        return "自己的" if sex else "其"

    def definite(self, word: str) -> str:
        return word

    def possessive(self, name: str) -> str:
        return f"{name}的"

    # ── nouns, numbers, dates ─────────────────────────────────────────────────

    def plural(self, kind: KindSpec) -> str:
        return kind.noun

    def a_kind(self, noun: str, kind: KindSpec) -> str:
        noun = kind.noun if noun[0] in "该这" else noun
        return f"一{kind.measure or '个'}{noun}"

    def numbered(self, count: int, kind: KindSpec | None) -> str:
        return f"{count}{kind.measure if kind is not None and kind.measure else '个'}"

    def noun(self, word: str, unit: str = "") -> str:
        return word

    def digits(self, number: float) -> str:
        """A number in figures, of ten thousand and more in units of 万 or 亿 where that is exact to two decimals.

        >>> Chinese().digits(125_000), Chinese().digits(12_345), Chinese().digits(320_000_000), Chinese().digits(6.5)
        ('12.5万', '12345', '3.2亿', '6.5')
        """
        if number != int(number):
            return f"{number:.1f}"
        for unit, name in ((100_000_000, "亿"), (10_000, "万")):
            if number >= unit and int(number) * 100 % unit == 0:
                return f"{int(number) / unit:.2f}".rstrip("0").rstrip(".") + name
        return str(int(number))

    def units(self, unit: str) -> str:
        return unit

    def number(self, value: WorldValue, style: Style) -> str:
        if value.type == "money":
            return value.unit.format(self.digits(value.number))
        if style.short_units and value.unit in _SHORT:
            return f"{self.digits(value.number)}{_SHORT[value.unit]}"
        if style.imperial and value.unit not in _SHORT and value.number == int(value.number) < 100:
            return f"{in_characters(int(value.number))}{value.unit}"
        return f"{self.digits(value.number)}{value.unit}"

    def amount(self, value: WorldValue, number: float, how: str = "", words: bool = False) -> str:
        form = value.unit if value.type == "money" else f"{{}}{value.unit}"
        return f"{how}{form.format(self.digits(number))}"

    def counted(self, value: WorldValue) -> str:
        return self.plain_words(value)

    def rounded(self, value: WorldValue, rng: Rng) -> tuple[str, float, float]:
        near = round_figure(value.number)
        if near < value.number and rng.chance(0.4):
            return self.amount(value, near, "超过"), near + 0.01, math.inf
        if near > value.number and rng.chance(0.4):
            return self.amount(value, near, "将近"), near * 0.8, near - 0.01
        return self.amount(value, near, rng.pick(("大约", "约"))), near * 0.85, near * 1.15

    def answers(self, value: WorldValue, others: Sequence[str] = ()) -> tuple[str, ...]:
        """An answer as pages write it, then other ways to write it.

        >>> Chinese().answers(WorldValue("number", "", 125_000, "张票"))
        ('12.5万张票', '12.5万', '125000', '125000张票')
        """
        found = [self.plain_words(value), *others]
        if value.type in ("number", "money"):
            plain, form = f"{value.number:g}", value.unit if value.type == "money" else f"{{}}{value.unit}"
            plain = str(int(value.number)) if value.number == int(value.number) else plain
            found += [self.digits(value.number), plain, form.format(plain)]
        found += [text.strip("《》") for text in tuple(found) if text[:1] == "《"]
        return tuple(dict.fromkeys(found))

    def year(self, year: int) -> str:
        return f"{year}年"

    def month(self, year: int, month: int) -> str:
        return f"{year}年{month}月"

    def date(self, year: int, month: int, day: int, form: int) -> str:
        if form == 2:
            return f"{year}-{month:02}-{day:02}"
        return f"{year}.{month}.{day}" if form == 3 else f"{year}年{month}月{day}日"

    def years(self, year: int, vague: bool, rng: Rng) -> tuple[str, int, int]:
        if not vague:
            return self.year(year), year, year
        decade = year // 10 * 10
        roll = rng.below(3)
        if roll == 0:
            return decade_text(decade), decade, decade + 9
        if roll == 1:
            first = year % 10 < 5
            low = decade if first else decade + 5
            return f"{decade_text(decade)}{'前' if first else '后'}五年", low, low + 4
        low = year - rng.between(1, 5)
        high = min(low + rng.between(6, 9), NOW)
        return f"{low}年到{high}年间的某一年", low, high

    def datable(self, way: str) -> bool:
        return True

    def classes(self, name: str) -> bool:
        return True

    def masked(self, value: WorldValue, of: ValueType, kind: KindSpec) -> str:
        return _MASKS.get(value.type, "某种东西")

    # ── sentences and parts of pages ──────────────────────────────────────────

    def closed(self, text: str) -> str:
        """A sentence with its full stop; "it" at its beginning is mostly left out, as Chinese does."""
        if not text:
            return text
        if len(text) % 3:
            text = _SUBJECTS.sub("", text)
        ended = text[-1] in _ENDS or (text[-1] in _CLOSING and text[-2:-1] in _ENDS)
        return text if ended else f"{text}。"

    def asked(self, text: str) -> str:
        text = _MARKS.sub(r"\1", text.strip())
        return text if text[-1:] in _ENDS else f"{text}。"

    def owned(self, way: str, group: str) -> str:
        return way

    def titled(self, name: str, kind: KindSpec) -> str:
        return name

    def attaches(self, way: str, told: str) -> bool:
        return "{O" in way

    def relates(self, way: str) -> bool:
        """Where the subject can be left out before "的": "生于{O}的人", "{O}修建的桥"."""
        return way.count("{S}") + way.count("{s}") == 1 and (way.startswith("{S}") or way.endswith("{s}。"))

    def relates_object(self, way: str) -> bool:
        return way.startswith("{O}") and way.count("{O") == 1

    def clause(self, text: str, noun: str, person: bool = False) -> str:
        for gap in (f"{WHO}的", WHOSE, WHO, WHOM):
            text = text.replace(gap, "")
        return noun.replace("{}", f"{text.rstrip('。').removesuffix('了').removesuffix('的')}的")

    def bare(self, text: str) -> str:
        return text.rstrip("。")

    def polished(self, text: str, style: Style) -> str:
        return text

    def slip(self, text: str, rng: Rng) -> str:
        right, wrong = rng.pick(_SLIPS)
        return text if "](" in text else text.replace(right, wrong, 1)

    def named(self, name: str, sentence: str) -> str:
        return f"{name}：{sentence}"

    def joined(self, sentence: str, year: int, last: int, rng: Rng) -> str:
        gap, opening = year - last, f"{year}年，"
        if not year or not last or not 0 <= gap <= _LATE or not sentence.startswith(opening):
            return sentence
        if gap == 0:
            said: tuple[str, ...] = ("同年，", "同一年，", f"也是{opening}")
        elif gap == 1:
            said = ("次年，", "第二年，", f"次年（{year}年），", opening)
        else:
            count = in_characters(gap)
            said = (f"{count}年后，", f"{count}年后的{opening}", f"又过了{count}年，", f"到了{opening}", opening)
        return rng.pick(said) + sentence.removeprefix(opening)

    def led(self, opening: str, sentence: str) -> str:
        return f"{opening}{sentence}"

    def with_role(self, name: str, profession: str, rng: Rng) -> str:
        return f"{profession}{name}"

    def years_of(self, decade: int) -> str:
        return decade_text(decade)

    def dateline(self, town: str, date: str, site: str) -> str:
        return f"【{site}{town}{date}讯】"

    def opened(self, opening: str, title: str) -> str:
        return f"{opening}{title}"

    def cell(self, text: str, when: str) -> str:
        return f"{text}（{when}年）" if when.isdigit() else f"{text}（{when}）"

    def described(self, site: str, what: str, counties: Sequence[str], things: Sequence[str] = ()) -> str:
        told = f"本站有{'、'.join(things)}。" if things else ""
        return f"{site}：{'、'.join(counties)}{'的' if counties else ''}{what}。{told}"

    def say(self, text: str) -> str:
        return _SAID.get(text, text)

    def cut(self, text: str, most: int) -> str:
        most = most * 2 // 3
        return text if len(text) <= most else f"{text[:most]}……"

    # ── words ─────────────────────────────────────────────────────────────────

    def stems(self, text: str) -> set[str]:
        """Pairs of neighbouring characters, and numbers: the characters alone say little."""
        found: set[str] = set()
        for run in _HAN.findall(without_link_targets(text).lower()):
            found.update(run[place : place + 2] for place in range(len(run) - 1)) if run > "\u4dff" else found.add(run)
        return found

    def shares(self, name: str, line: str) -> bool:
        return any(name[place : place + 2] in line for place in range(len(name) - 1))


def decade_text(decade: int) -> str:
    """A decade of its century.

    >>> decade_text(1930), decade_text(2000)
    ('20世纪30年代', '21世纪头十年')
    """
    century, years = decade // 100 + 1, decade % 100
    return f"{century}世纪{years}年代" if years else f"{century}世纪头十年"


def in_characters(number: int) -> str:
    """A number from 0 to 99 in characters, 2 as before a measure word.

    >>> in_characters(2), in_characters(10), in_characters(31)
    ('两', '十', '三十一')
    """
    if number == 2:
        return "两"
    tens, ones = divmod(number, 10)
    if not tens:
        return _DIGITS[ones]
    return f"{_DIGITS[tens] if tens > 1 else ''}十{_DIGITS[ones] if ones else ''}"
