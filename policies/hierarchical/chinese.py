"""Chinese for a reader without a model: what its words are, which of them are names, and of what kind names are.

There are no spaces or capitals to go by: words are pairs of neighbouring characters; a person is a surname with one or
two characters between what can stand around a name; other names are what a page writes as one, or end as their kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from webenv.policies.hierarchical.names import word_families

LETTERS = "甲乙丙丁戊己庚辛"
"""What stands for a name in a question, in order."""

_HAN = re.compile(r"[\u4e00-\u9fff]")
_RUN = re.compile(r"[\u4e00-\u9fff]+|\d+(?:\.\d+)?")
_FUNCTION = frozenset("的了在是过由被于和与把从给为而及之其这那该本此他她它们都也就曾将对以着地得各某一")
_UNITS = frozenset("年月日")  # what follows a number, and tells nothing by itself
_KINDS_OF = ("人物", "人")
_FAMILIES = """
    主演 扮演 饰演 出演 主角 饰
    执导 导演 拍 拍摄
    作者 著 写 撰 创作 写完 笔下 写成 脱稿 成书
    画成 画 绘 作画 画家 作者 绘制
    生于 出生 籍贯 出身 降生
    搬到 搬 迁 迁居 移居 住 定居 迁到 落户 迁往
    毕业 念书 就读 读书 上学 离校 求学 校友 学生
    主政 镇长 市长 县长 执政 主官 当政
    创办 开办 创立 成立 办起 创刊 开张 创始 投产 建起 发起 开设 办 创建
    当过 任职 出任 就任 接任 担任 到任 上任
    校长 掌校 学校
    总编 编辑 主笔 主编 笔政
    赞助 出资 资助 冠名 胸前 出钱
    执教 教练 带队 主帅
    起诉 原告 控告 状告 诉
    被告 被诉
    主审 审理 法官 开庭 宣判 判
    掌勺 厨师 主厨 大厨 掌厨 灶 勺
    取景 外景 实景 拍摄
    捐给 捐 赠 捐赠 收藏 藏品 献
    质疑 批评 反驳 撰文 异议
    主持 负责 领导 带领 牵头
    设计 图纸 绘图 规划 设计师
    修建 建造 造 承建 动工 建成 修
    夺魁 获 获得 冠军 授予 得奖 头名 赢
    师从 老师 徒弟 拜师 弟子
    结婚 妻子 丈夫 娶 嫁 夫妻 配偶
    不和 争吵 翻脸 绝交 闹翻 结怨
    爱 爱好 喜欢 乐子 迷 嗜好
    去世 病逝 死 死因 逝世 卒 性命
    首映 上映 公映
    收购 买下 东家 业主 拥有 归
    发现 首次 记录
    录制 唱片 演唱
    指挥 棒
    馆藏 收藏 挂 藏
    改编 原著 原作
    投资 预算 花了 成本 斥资
    居民 人口
    主业 行业 产业 从事 为生 靠
    招牌 拿手 名菜
    称 闻名 著称 见长 出名
"""
_SURNAMES = frozenset(
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌马苗凤花方俞任"
    "袁柳酆鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于时傅皮卞齐康伍余元卜顾孟平黄和穆萧尹姚邵湛汪祁毛禹狄米贝明臧计伏成戴"
    "谈宋茅庞熊纪舒屈项祝董梁杜阮蓝闵席季麻强贾路娄危江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡凌霍虞万支柯昝管卢莫经房裘缪干解"
    "应宗丁宣贲邓郁单杭洪包诸左石崔吉钮龚程嵇邢滑裴陆荣翁荀羊惠甄曲家封芮羿储靳汲邴糜松井段富巫乌焦巴弓牧隗山谷车侯宓蓬全"
    "郗班仰秋仲伊宫宁仇栾暴甘厉戎祖武符刘景詹束龙叶幸司韶郜黎蓟薄印宿白怀蒲邰从鄂索咸籍赖卓蔺屠蒙池乔阴胥能苍双闻莘党翟谭"
    "贡劳逄姬申扶堵冉宰郦雍郤璩桑桂濮牛寿通边扈燕冀郏浦尚农温别庄晏柴瞿阎充慕连茹习宦艾鱼容向古易慎戈廖庾终暨居衡步耿满弘匡"
    "国文寇广禄阙东欧殳沃利蔚越夔隆师巩厍聂晁勾敖融冷訾辛阚那简饶空曾毋沙乜养鞠须丰巢关蒯相查后荆红游竺权逯盖益桓公肖涂付代"
)
_COMPOUND = frozenset(
    re.findall(
        "..",
        "万俟司马上官欧阳夏侯诸葛闻人东方赫连皇甫尉迟公羊澹台公冶宗政濮阳淳于单于太叔申屠公孙仲孙轩辕令狐钟离宇文长孙慕容鲜于"
        "闾丘司徒司空亓官司寇子车颛孙端木巫马公西漆雕乐正壤驷公良拓跋夹谷宰父谷梁百里呼延东郭南门羊舌微生梁丘左丘东门西门南宫",
    )
)
_WORDS_TOO = frozenset("任于和时成都年后从向全应别由有那家东同公相连计曾水师当经通能满国文广利充终代万")
"""Surnames that are mostly other words: no name begins with them but where a page writes one as a whole."""

_THINGS_END = frozenset("镇市县州省村乡路街巷桥馆院厂报校站队党社集湾溪河寺庙奖杯节团园学会展赛案号型局所部")
_ENDS_TOO: Mapping[str, str] = {  # how names of a kind end besides
    "俱乐部": "队会社",
    "饭馆": "庄楼店居",
    "报纸": "报",
    "学校": "学校塾",
    "节会": "节会",
    "研究": "究查测",
    "案子": "案",
    "医院": "院所",
    "工厂": "厂",
    "厂": "厂坊",
    "公园": "园",
    "奖": "奖章杯",
    "河": "河江溪",
    "铁路": "路线",
    "路": "路线",
    "公司": "司号行",
    "酒庄": "庄厂",
}
_BROAD = frozenset("馆院园会部所")  # ends of several kinds
_BEFORE = frozenset(
    "起由与和给是叫让请被把向对跟同为至的了到师人者员家长工匠生演手医官主年月日时前后中里上下，。；：、（“》）！？ "
)
_AFTER = frozenset(
    "于自任当曾在和与的、创开办主写从获由起把将去搬住又也已是为演执导掌说死卒离就因到被做修设捐教，。；：（）“”！？ "
)
_CUTS = _FUNCTION | frozenset("每几两自出到任政当就至进往向访游逛办开住迁搬年月日起叫名由")
_COUNTING = frozenset("一该本这那几两各某每")  # what follows them is no name
_NUMERALS = frozenset("一二三四五六七八九十百千")
_TOWNS = frozenset("镇市县乡埠集堡村城")
_MADE = frozenset("影剧书说画曲歌诗刊片辑著作品")  # kinds of what stands between the brackets of titles
_NUMBER = 4.0  # what a number of three digits and more counts: as much as two words
_PLACE_KINDS = frozenset("镇市城")
_WRITTEN = re.compile(
    r"\[([^\[\]\n]{2,30})\]\(|\*\*([^*\n]{2,30})\*\*|(《[^《》\n]{1,20}》)"
    r"|^\| ?\[?([^|\n\[\]]{2,30}?)\]?(?:\([^()]*\))? \|",
    re.MULTILINE,
)
_ASIDE = re.compile(r"（[^（）]*）$")
_BREAKS = re.compile(r"[，。？！：；、·|“”—]|^\d|\d{4}")


def is_chinese(text: str) -> bool:
    """Whether a text has Chinese characters.

    >>> is_chinese("城镇丙"), is_chinese("town C")
    (True, False)
    """
    return _HAN.search(text) is not None


# ── words ─────────────────────────────────────────────────────────────────────


KIN = word_families(_FAMILIES.splitlines())
"""Words that say the same sort of link."""


def words_in(text: str) -> list[str]:
    """What a text tells, without its function words: runs of characters, and numbers.

    >>> words_in("1970年搬到了秋浦镇")
    ['1970', '搬到', '秋浦镇']
    """
    found: list[str] = []
    number = False
    for run in _RUN.findall(text):
        if run[0].isdigit():
            found.append(run)
            number = True
            continue
        run = run[1:] if number and run[0] in _UNITS else run
        number = False
        found += "".join(" " if char in _FUNCTION else char for char in run).split()
    return found


def weights_of(clause: str, own: float) -> dict[str, float]:
    """How much each pair of characters and each number of a clause counts; as in English, words of a family less than
    its own (``own``)."""
    found: dict[str, float] = {}
    number = False
    for word in words_in(clause):
        if word[0].isdigit():
            found[word] = _NUMBER if len(word) > 2 else own
        elif len(word) == 1 or (number and len(word) == 2):  # what is counted
            found[word] = 1.0
        else:
            for pair in _pairs(word):
                found[pair] = 1.0 if pair in KIN else own
        number = word[0].isdigit()
    return found


def stems_in(text: str) -> Iterator[str]:
    """The characters, pairs of characters and numbers of a text."""
    for run in _RUN.findall(text):
        yield run
        if not run[0].isdigit():
            yield from run
            yield from _pairs(run)


def _pairs(run: str) -> list[str]:
    return [run[place : place + 2] for place in range(len(run) - 1)]


# ── names ─────────────────────────────────────────────────────────────────────


def is_person(name: str) -> bool:
    """Whether a name has the form of a person's.

    >>> is_person("柏继林"), is_person("司徒家远"), is_person("白练河"), is_person("养蚕业社")
    (True, True, False, False)
    """
    if not all(map(_HAN.match, name)) or name[-1:] in _THINGS_END or _FUNCTION & set(name):
        return False
    given = name[2:] if name[:2] in _COMPOUND else name[1:] if name[:1] in _SURNAMES else ""
    return 1 <= len(given) <= 2


def core(name: str) -> str:
    """A name without what is said in brackets behind it."""
    return _ASIDE.sub("", name).strip()


@lru_cache(maxsize=32_768)
def kindness(name: str, kind: str, said: str = "") -> float:
    """How well a name fits a kind, from 0 to 1: by how it ends, or by what a text says of it.

    >>> kindness("柏继林", "person"), kindness("秋浦镇", "城镇"), kindness("鹤鸣州夜报", "报纸")
    (1.0, 1.0, 0.9)
    >>> kindness("《棋局记》", "长篇小说", "《棋局记》，一部长篇小说。")
    1.0
    """
    if not kind:
        return 0.5
    if kind in ("person", *_KINDS_OF):
        return 1.0 if is_person(name) else 0.0
    plain = core(name)
    title = name.startswith("《")
    if is_kind(name, kind, said):
        return 1.0
    if title or kind[-1] in _MADE:
        return (0.6 if kind[-1] in _MADE else 0.0) if title else 0.2
    if plain.endswith(kind):
        return 1.0
    end = plain[-1:]
    if kind[-1] in _PLACE_KINDS or kind == "地方":
        return 1.0 if end in _TOWNS else 0.0
    if end in _ends_of((kind,)):
        return 0.7 if end in _BROAD else 0.9
    return 0.0 if is_person(name) or end in _TOWNS | _THINGS_END else 0.4


@lru_cache(maxsize=32_768)
def is_kind(name: str, kind: str, said: str) -> bool:
    """Whether a text says that something is of a kind: calls it so, in front or in brackets, or says that it is one."""
    if not said or name not in said:
        return False
    if f"{kind}{name}" in said or f"{name}（{kind}）" in said:
        return True
    return (
        re.search(rf"{re.escape(name)}(?:（[^（）]*）)?[^。！？\n]{{0,16}}一[^，。\n]{{1,8}}{re.escape(kind)}", said)
        is not None
    )


def written_names(text: str) -> list[str]:
    """What a page writes as a name: in links, in bold, in title brackets, at the head of a row.

    >>> written_names("- [秋浦镇](https://a.example/1)是**柏继林**的家乡，见《棋局记》。")
    ['秋浦镇', '柏继林', '《棋局记》']
    """
    found: dict[str, None] = {}
    for match in _WRITTEN.finditer(text):
        name = next(one for one in match.groups() if one is not None).strip()
        if not _BREAKS.search(name) and is_chinese(name):
            found[name] = None
    return list(found)


def persons_in(text: str) -> Iterator[str]:
    """The names of persons in a sentence: a surname and one or two characters, between what can stand around them.

    >>> list(persons_in("1910年由雍德华创办，荀泓任院长。"))
    ['雍德华', '荀泓']
    """
    place = 0
    while place < len(text):
        family = next((size for size in (2, 1) if _is_family(text[place : place + size])), 0)
        if not family or (place and text[place - 1] not in _BEFORE and not text[place - 1].isdigit()):
            place += 1
            continue
        end = place + family + 2
        last = text[end - 1 : end]
        if last in _AFTER or not _HAN.match(last or " ") or text[end - 1 : end + 1] == "生于":
            end -= 1
        name = text[place:end]
        if is_person(name) and name not in KIN and not _NUMERALS & set(name):
            yield name
            place = end
        else:
            place += 1


def _is_family(text: str) -> bool:
    return text in _COMPOUND or (text in _SURNAMES and text not in _WORDS_TOO)


def ending_as(kinds: Iterable[str], text: str) -> Iterator[str]:
    """The names in a sentence that end as some kinds do, back to the word that leads to them.

    >>> list(ending_as(("城镇", "报纸"), "他1925年搬到蒲口市，被告是鹤鸣州夜报。"))
    ['蒲口市', '鹤鸣州夜报']
    """
    ends = _ends_of(tuple(sorted(set(kinds))))
    for found in re.finditer(r"[\u4e00-\u9fff]+", text):
        run, start, counted = found[0], 0, text[found.start() - 1 : found.start()].isdigit()
        for place, char in enumerate(run):
            if char in _CUTS or run[place - 1 : place + 1] in KIN:
                start, counted = place + 1, char in _COUNTING
            elif char in ends and (run[place + 1 : place + 2] not in ends or run[place + 2 : place + 3] == "长"):
                name = run[start : place + 1]
                name = re.split("[州省县报]", name[:-1])[-1] + char if char in _TOWNS else name
                name = name[2:] if name[:2] in KIN else name
                if not counted and len(name) > 2:
                    aside = _ASIDE_NEXT.match(text, found.start() + place + 1)
                    yield name + (aside[0] if aside else "")
                start, counted = place + 1, False


_ASIDE_NEXT = re.compile(r"（[\u4e00-\u9fff]{1,6}）")


@lru_cache(maxsize=1_024)
def _ends_of(kinds: Sequence[str]) -> frozenset[str]:
    found: set[str] = set()
    for kind in kinds:
        if kind[-1:] in _PLACE_KINDS:
            found |= _TOWNS
        elif kind != "person" and kind[-1:] not in _MADE:
            too = max((one for one in _ENDS_TOO if kind.endswith(one)), key=len, default="")
            found |= set(_ENDS_TOO[too]) if too else set(kind[-1:])
    return frozenset(found)


def subject_of(title: str, text: str) -> str:
    """The longest part of a title that a page's sentences have too: whom it is about.

    >>> subject_of("怀念柏淑莲", "柏淑莲是一名教师。")
    '柏淑莲'
    """
    body = "\n".join(one for one in text.splitlines() if not one.startswith(("- [", "**")))
    for size in range(min(len(title), 24), 1, -1):
        for start in range(len(title) - size + 1):
            part = title[start : start + size]
            if {part[0], part[-1]} & _FUNCTION:  # "同德医院由" of "同德医院由谁创办？"
                continue
            if part in body and is_chinese(part) and not _BREAKS.search(part) and (size > 2 or is_person(part)):
                return part
    return ""
