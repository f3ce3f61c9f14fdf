"""A small site: a page about a lighthouse that states one fact a sentence, and five others."""

from __future__ import annotations

from webenv.envs.hardening import TextPage
from webenv.task import Gold, Task

URL = "https://coast.example/wiki/arden-light"
TITLE = "Arden Light"
STATEMENTS = (
    "Arden Light was finished in 1873 by the engineer Thomas Brand.",
    "The tower was built from granite that came from the quarry at Hollin.",
    "Its first keeper was Martha Vane, who had taught at the village school.",
    "The lamp burned colza oil until 1902, and the harbour paid for the oil.",
    "A storm in 1911 broke the gallery and carried the boat to Sedgewick.",
    "The council in Port Ellery bought the tower for 240 pounds.",
    "Painters from Norrby visited the island in 1924 and stayed for the summer.",
    "The museum opened with 31 paintings and a model of the lantern.",
    "Students of the college measured the tower for their diploma.",
    "The fog bell was given to the church in Wexcombe after the war.",
    "An article by Edith Calder described the journey to the island.",
    "The ferry from Sedgewick carried 900 visitors in the first year.",
    "Fishermen used the cellar as a store for their nets and their rope.",
    "The trust repaired the stairs with timber from the old barn.",
    "In 1935 the company replaced the lamp with a lens from Lyon.",
    "The keeper Oskar Finn saved the crew of a schooner by lighting a fire on the beach.",
    "The garden behind the tower had apples, a pond and a wall of stone.",
    "A film by the director Ann Lister was made in the kitchen in 1958.",
    "The parliament closed the station in 1974 because of the cost of coal.",
    "Two brothers from Hollin rented the cottage for a bakery.",
    "The clock in the hall was a gift of the merchant Paul Ostrom.",
    "Birds of seven kinds nest on the cliff near the path.",
    "The library keeps a diary, a map and 12 letters of the keeper.",
    "The road to the pier was paved in 1929 by the army.",
    "Music for the opening was composed by Clara Feld.",
    "The foundation restored the roof by collecting money in the capital.",
)
OTHERS = {
    "Hollin Quarry": (
        "Hollin Quarry sold granite to the builders of the harbour in 1866.",
        "The quarry was owned by the engineer Joseph Marrow and by his brother.",
        "The keeper of the stores was paid 40 pounds in the first year.",
    ),
    "Norrby School": (
        "Painters of the Norrby School worked on the island before the war.",
        "The first exhibition showed 58 paintings by Edith Lund and by her students.",
        "The college bought the tower of the old church in 1931.",
    ),
    "Sedgewick": (
        "Sedgewick is a village with a ferry, a church and a museum of boats.",
        "The council paid for the repair of the harbour after the storm in 1908.",
        "The village school taught the children of the fishermen.",
    ),
}


def pages() -> list[TextPage]:
    """The whole site."""
    gold = TextPage(URL, TITLE, " ".join(STATEMENTS[:13]) + "\n\n" + " ".join(STATEMENTS[13:]))
    others = [
        TextPage(f"https://coast.example/wiki/{name.lower().replace(' ', '-')}", name, " ".join(said))
        for name, said in OTHERS.items()
    ]
    return [gold, *others]


def task(*places: int, name: str = "coast_easy/0") -> Task:
    """A task whose claims are these statements of the page, and its criteria the same."""
    claims = tuple(STATEMENTS[place] for place in places)
    tags = {"site": "coast", "difficulty": name.split("_")[1].split("/")[0]}
    return Task(name, "Which page?", claims, Gold(urls=(URL,), claims=claims), tags)
