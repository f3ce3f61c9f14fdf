"""Questions on real news, drafted by one model and checked by another."""

from webenv.envs.building.live_news_bench.build import LiveNewsBuilder
from webenv.envs.building.live_news_bench.events import read_events
from webenv.envs.building.live_news_bench.filters import Outlets
from webenv.envs.building.live_news_bench.release import Release, refresh

__all__ = ["LiveNewsBuilder", "Outlets", "Release", "read_events", "refresh"]
