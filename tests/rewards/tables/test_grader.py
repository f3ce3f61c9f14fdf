"""Tables scored cell by cell: the formulas, the release's faults that are not shared, and the model over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.openai_server import Fault, OpenAIServer, Reply
from tests.rewards.replying import Asked, replying, tagged
from webenv.errors import DataError
from webenv.rewards.tables.cells import Column, TableSpec
from webenv.rewards.tables.grader import TableAnswer, TableJudge, TableNumbers, TableScore
from webenv.rewards.tables.markdown import AnswerTable, read_csv

GOLD = read_csv(
    "City,Height,Founded,Note\nRome,21,753 BC,old\nOslo,23,1040,north\nLima,154,1535,coast\nBern,540,1191,\n"
)
SPEC = TableSpec.of(
    {
        "required": ["city", "height", "founded", "note"],
        "unique_columns": ["city"],
        "eval_pipeline": {
            "city": {"preprocess": ["norm_str"], "metric": ["exact_match"]},
            "height": {"preprocess": ["extract_number"], "metric": ["number_near"], "criterion": 0.1},
            "founded": {"preprocess": ["norm_str"], "metric": ["exact_match"]},
            "note": {"preprocess": ["norm_str"], "metric": ["llm_judge"], "criterion": "the same in kind"},
        },
    }
)
ROWS = ["Rome|21|753 BC|old", "Oslo|23|1040|north", "Lima|154|1535|coast", "Bern|540|1191|N/A"]
HEAD = "City|Height|Founded|Note"


def table(*rows: str, head: str = HEAD) -> str:
    return "\n".join(
        ["```markdown", f"|{head}|", "|-" * (head.count("|") + 1) + "|", *(f"|{row}|" for row in rows), "```"]
    )


def alone(answer: str, gold: AnswerTable = GOLD, spec: TableSpec = SPEC) -> TableScore:
    """The score without a model."""
    return TableJudge(None).grade([TableAnswer(answer, gold, spec)])[0]


def judged(script: Callable[[Asked], Reply], *answers: str) -> tuple[list[TableScore], OpenAIServer]:
    with replying(script) as (model, server):
        return TableJudge(model).grade([TableAnswer(answer, GOLD, SPEC) for answer in answers]), server


def numbers(*values: float) -> TableNumbers:
    return TableNumbers(*values)


def test_all_right() -> None:
    """The gold table in other order, case and units is a success, and 1 throughout."""
    rows = ["**lima**|154 m|1535|Coast", *ROWS[:2], ROWS[3]]
    assert alone(table(*rows)) == TableScore(numbers(1, 1, 1, 1, 1, 1, 1))


def test_the_first_rows_and_cells_that_are_not_right_are_named() -> None:
    """By their keys: which are missing, which too many, and what a wrong cell was to be."""
    reason = alone(table(ROWS[0], "Oslo|23|1050|north", "Paris|35|250|river")).reason
    assert reason == (
        'rows missing: 2 ("Lima"; "Bern"), rows too many: 1 ("Paris"), '
        'cells wrong: 1 (founded of "Oslo" is "1050", expected "1040")'
    )


def test_precision_and_recall() -> None:
    """Two right rows and one with a wrong cell of four gold rows, and a row that is not asked for."""
    found = alone(table(ROWS[0], ROWS[1], "Lima|154|1900|coast", "Bonn|60|1|x")).numbers
    assert found is not None
    # rows: 2 right of 4 predicted and 4 gold; items: 4 + 4 + 3 of 16 and 16
    assert found == pytest.approx((0.0, 0.5, 0.5, 0.5, 11 / 16, 11 / 16, 11 / 16))
    found = alone(table(ROWS[0])).numbers
    assert found == pytest.approx((0.0, 1.0, 0.25, 0.4, 1.0, 0.25, 0.4))


def test_a_row_scores_its_worst_cell() -> None:
    """One wrong cell costs the row and one item."""
    found = alone(table(*ROWS[:3], "Bern|100|1191|")).numbers
    assert found == pytest.approx((0.0, 0.75, 0.75, 0.75, 15 / 16, 15 / 16, 15 / 16))


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "the answer holds no table"),
        ("I found nothing.", "the answer holds no table"),
        (table("Rome|21", head="City|Height"), "its columns are city, height; not those asked for"),
        (table(*(f"{row}|x" for row in ROWS), head=HEAD + "|More"), "not those asked for"),
        (table(*(f"{row}|Rome" for row in ROWS), head=HEAD + "|City"), "not those asked for"),
    ],
)
def test_nothing_to_compare(answer: str, reason: str) -> None:
    """No table, and columns that are not those asked for, lacking, further or twice, score 0 and say so."""
    found = alone(answer)
    assert found.numbers == numbers(0, 0, 0, 0, 0, 0, 0)
    assert reason in found.reason


def test_a_head_without_rows() -> None:
    """A table without a row has no precision to speak of: 0, not an error."""
    assert alone(table()).numbers == numbers(0, 0, 0, 0, 0, 0, 0)


def test_a_gold_table_without_rows() -> None:
    """A question without a gold row, or whose gold lacks a column, is unscored."""
    assert alone(table(*ROWS), AnswerTable(GOLD.columns, ())).numbers is None
    found = alone(table(*ROWS), read_csv("city,height\nRome,21\n"))
    assert (found.numbers, "lacks a column" in found.reason) == (None, True)


def test_repeated_rows_count_once() -> None:
    """A repeated row is dropped, the first of a key counts, and recall never passes 1."""
    assert alone(table(*ROWS, *ROWS, ROWS[0])).numbers == numbers(1, 1, 1, 1, 1, 1, 1)
    guesses = [f"Rome|21|{year}|old" for year in ("1", "2", "753 BC")]
    assert alone(table(*guesses)).numbers == pytest.approx((0.0, 0.0, 0.0, 0.0, 0.75, 3 / 16, 0.3))


def test_repeats_are_dropped_after_alignment() -> None:
    """Rows under two spellings of one key are one row once they are aligned (released: two, and a recall above 1)."""

    def script(asked: Asked) -> Reply:
        assert asked["predicted"] == "P1: Roma\nP2: Città di Roma"
        return tagged(asked, pairs="P1=G1, P2=G1")

    (found,), _ = judged(script, table("Roma|21|753 BC|old", "Città di Roma|21|753 BC|old"))
    assert found.numbers == pytest.approx((0.0, 1.0, 0.25, 0.4, 1.0, 0.25, 0.4))


def test_two_metrics_count_once() -> None:
    """A column of two metrics is one item, right if it meets both (released: two items)."""
    spec = SPEC._replace(columns=(*SPEC.columns[:3], Column("note", ("exact_match", "in_match"))))
    assert alone(table(*ROWS), spec=spec).numbers == numbers(1, 1, 1, 1, 1, 1, 1)
    assert alone(table("Rome|21|753 BC|ol", *ROWS[1:]), spec=spec).numbers == pytest.approx(
        (0.0, 0.75, 0.75, 0.75, 15 / 16, 15 / 16, 15 / 16)
    )


def test_missing_cells_are_empty() -> None:
    """A missing cell equals a missing one, by any word for it, and no word ``nan`` stands for it elsewhere."""
    for cell in ("", "nan", "NaN", "N/A", "-", "null"):
        assert alone(table(*ROWS[:3], f"Bern|540|1191|{cell}")).numbers == numbers(1, 1, 1, 1, 1, 1, 1)
    assert alone(table(*ROWS[:3], "Bern|540||")).numbers == pytest.approx(
        (0.0, 0.75, 0.75, 0.75, 15 / 16, 15 / 16, 15 / 16)
    )


def test_columns_are_aligned_by_a_model() -> None:
    """Names that differ are put to the model, those that are the same are not; case and spaces are no difference."""

    def script(asked: Asked) -> Reply:
        assert (asked["predicted"], asked["gold"]) == ("P1: town\nP2: yearoffoundation", "G1: city\nG2: founded")
        return tagged(asked, pairs="P2=G2, P1=G1")

    (found,), server = judged(script, table(*ROWS, head="Town| HEIGHT |Year of Foundation|note"))
    assert (found.numbers, len(server.requests)) == (numbers(1, 1, 1, 1, 1, 1, 1), 1)


def test_names_that_stay_different() -> None:
    """What the model does not align leaves the table at 0."""
    (found,), _ = judged(lambda asked: tagged(asked, pairs="none"), table(*ROWS, head="Town|Height|Founded|Note"))
    assert found == TableScore.nothing("its columns are town, height, founded, note; not those asked for")


@pytest.mark.parametrize("pairs", ["P1=G9", "P9=G1", "P1=G1, P2=G1", "P1=G1, P1=G2", "town=city", "", "P1=G1 or P1=G2"])
def test_alignments_that_are_none(pairs: str) -> None:
    """Numbers out of range, words in place of numbers, and a column twice are no verdict: the table is unscored."""
    (found,), server = judged(lambda asked: tagged(asked, pairs=pairs), table(*ROWS, head="Town|Height|Year|Note"))
    assert (found.numbers, len(server.requests)) == (None, 4)
    assert found.reason.startswith("the columns were not aligned: ")


def test_keys_are_aligned_by_a_model() -> None:
    """Values of a key column that are none of the gold's are put to the model, with all of the gold's."""

    def script(asked: Asked) -> Reply:
        assert (asked["predicted"], asked["gold"]) == ("P1: Roma\nP2: Wien", "G1: Rome\nG2: Oslo\nG3: Lima\nG4: Bern")
        return tagged(asked, pairs="P1=G1")

    (found,), server = judged(script, table("Roma|21|753 BC|old", *ROWS[1:], "Wien|1|1|x"))
    assert found.numbers == pytest.approx((0.0, 0.8, 1.0, 8 / 9, 0.8, 1.0, 8 / 9))
    assert len(server.requests) == 1


def test_cells_are_judged_by_a_model() -> None:
    """Cells of a judged column that differ are put to the model one by one with the criterion; each pair once."""
    seen = []

    def script(asked: Asked) -> Reply:
        seen.append((asked["criterion"], asked["gold"], asked["predicted"]))
        return tagged(asked, verdict="right" if asked["predicted"] == "ancient" else "wrong")

    answers = [table("Rome|21|753 BC|ancient", "Oslo|23|1040|south", *ROWS[2:]), table("Rome|21|753 BC|ancient")]
    scores, _ = judged(script, *answers)
    assert sorted(seen) == [("the same in kind", "north", "south"), ("the same in kind", "old", "ancient")]
    assert scores[0].numbers == pytest.approx((0.0, 0.75, 0.75, 0.75, 15 / 16, 15 / 16, 15 / 16))
    assert scores[1].numbers == pytest.approx((0.0, 1.0, 0.25, 0.4, 1.0, 0.25, 0.4))


@pytest.mark.parametrize("reply", [Fault(401), "right", '```json\n{"idx_0": 1}\n```'])
def test_a_judge_that_fails_is_unscored(reply: Reply) -> None:
    """A cell without a verdict leaves its table unscored, never a column of zeros; other tables are scored."""
    scores, _ = judged(lambda _: reply, table("Rome|21|753 BC|ancient"), table(*ROWS))
    assert scores[0].numbers is None
    assert scores[0].reason.startswith("a cell was not judged: ")
    assert scores[1].numbers == numbers(1, 1, 1, 1, 1, 1, 1)


def test_empty_cells_are_not_put_to_a_model() -> None:
    """An empty cell where the gold has one, or the other way round, is wrong without a call."""
    scores, server = judged(lambda _: Fault(401), table("Rome|21|753 BC|", *ROWS[1:3], "Bern|540|1191|high"))
    assert scores[0].numbers == pytest.approx((0.0, 0.5, 0.5, 0.5, 14 / 16, 14 / 16, 14 / 16))
    assert server.requests == []


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("xy"), st.sampled_from("pq")), max_size=8),
    st.lists(
        st.tuples(st.sampled_from("abcdef"), st.sampled_from("xy"), st.sampled_from("pq")), min_size=1, max_size=8
    ),
)
def test_numbers_by_counting(predicted: Sequence[tuple[str, ...]], gold: Sequence[tuple[str, ...]]) -> None:
    """The same numbers as counting pairs of rows gives, over all tables of a few short words."""
    spec = TableSpec((Column("k"), Column("u"), Column("v")), ("k",))
    found = alone(
        table(*("|".join(row) for row in predicted), head="k|u|v"), AnswerTable(("k", "u", "v"), tuple(gold)), spec
    )
    mine, theirs = ([row for n, row in enumerate(t) if row[0] not in [o[0] for o in t[:n]]] for t in (predicted, gold))
    pairs = [(said, meant) for said in mine for meant in theirs if said[0] == meant[0]]
    rows = sum(said == meant for said, meant in pairs)
    items = sum(a == b for said, meant in pairs for a, b in zip(said, meant, strict=True))
    shares = [rows / max(len(mine), 1), rows / len(theirs), items / max(3 * len(mine), 1), items / (3 * len(theirs))]
    f1 = [2 * p * r / (p + r) if p + r else 0.0 for p, r in (shares[:2], shares[2:])]
    expected = (float(shares == [1.0] * 4), *shares[:2], f1[0], *shares[2:], f1[1])
    assert found.numbers == pytest.approx(expected)


def test_specification() -> None:
    """An official record's names are normalised; a column without an entry is compared as exact text."""
    spec = TableSpec.of(
        {
            "required": ["Full Name", "age"],
            "unique_columns": ["Full Name"],
            "eval_pipeline": {"age": {"metric": ["number_near"]}},
        }
    )
    assert spec == TableSpec((Column("fullname"), Column("age", ("number_near",))), ("fullname",))
    assert SPEC.columns[1].tolerance == 0.1
    assert SPEC.columns[3].tolerance == 0.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"required": None}, "lacks required"),
        ({"required": []}, "lacks required"),
        ({"unique_columns": ["x"]}, "the key of them"),
        ({"required": ["a", "A"]}, "each once"),
        ({"eval_pipeline": []}, "lacks required"),
        ({"eval_pipeline": {"a": {"metric": ["exact_mtch"]}}}, "Did you mean 'exact_match'"),
        ({"eval_pipeline": {"a": {"preprocess": ["norm"]}}}, "is to be prepared by 'norm'"),
    ],
)
def test_malformed_specifications(changes: dict[str, object], message: str) -> None:
    """A record of another form, and unknown metrics, are refused with what is wrong."""
    record: dict[str, object] = {"required": ["a", "b"], "unique_columns": ["a"], "eval_pipeline": {}}
    with pytest.raises(DataError, match=message):
        TableSpec.of(record | changes)


def test_no_length_leaves_a_table_unscored() -> None:
    """Of 20,000 unknown keys the first 120 are asked about, of columns too many and of huge cells nothing."""
    many = table(*(f"x{n}|1|1|a" for n in range(20_000)))
    wide = table(*(f"{row}|y" for row in ROWS), head=f"{HEAD}|More")
    huge = table(ROWS[0].replace("old", "o" * 2_000), "z" * 2_000 + "|1|1|a", *ROWS[1:])

    def script(asked: Asked) -> Reply:
        if len(asked.text) > 10_000:
            return Fault(400, "maximum context length is 2048 tokens")
        return tagged(asked, pairs="none") if "<pairs" in asked.text else tagged(asked, verdict="right")

    scores, server = judged(script, many, wide, huge)
    assert [one.numbers is None for one in scores] == [False] * 3
    asked = Asked(server.conversations()[0])
    assert len(server.requests) == 1
    assert (asked["predicted"].count("\n"), asked["gold"].count("\n")) == (119, 3)
    assert scores[2].numbers is not None
    assert scores[2].numbers.row_recall == 0.75


def test_identity() -> None:
    """The identity holds both prompts and the model; without a model, name and version."""
    with replying(lambda _: "") as (model, _):
        identity = TableJudge(model, votes=3).identity
    assert (identity["name"], identity["votes"], identity["model"]) == ("table", "3", "tiny")
    assert len(identity["alignment_prompt"]) == len(identity["cell_prompt"]) == 64
    assert TableJudge(None).identity == {"name": "table", "version": "2"}


def test_columns_of_numbers_compare_as_numbers() -> None:
    """Where both sides of a column hold plain numbers alone, "5" is "5.0", as key and as cell; else they are texts."""
    spec = TableSpec((Column("n"), Column("v")), ("n",))
    gold = AnswerTable(("n", "v"), (("1", "5"), ("2", "7.50")))
    assert alone(table("1.0|5.0", "2|7.5", head="n|v"), gold, spec).numbers == numbers(1, 1, 1, 1, 1, 1, 1)
    found = alone(table("1|5.0", "2|7.5 m", head="n|v"), gold, spec).numbers
    assert found is not None
    assert (found.row_f1, found.item_f1) == (0.0, 0.5)
