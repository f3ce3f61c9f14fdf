"""Plays policies in a benchmark and records every episode."""

from webenv.rollout.play import EpisodeSpec, PlayedEpisode, episode_seed, plan_episodes, play_episodes
from webenv.rollout.record import PlayedTurn, Record

__all__ = ["EpisodeSpec", "PlayedEpisode", "PlayedTurn", "Record", "episode_seed", "plan_episodes", "play_episodes"]
