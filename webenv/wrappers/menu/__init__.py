"""A menu of numbered actions and of features, for classic reinforcement learning."""

from webenv.wrappers.menu.features import CANDIDATE_FEATURES, CONTEXT_FEATURES, QUERY_FEATURES, SITE_FEATURES
from webenv.wrappers.menu.menu import Answers, Menu, feature_shapes, write_features
from webenv.wrappers.menu.size import Choice, MenuSize
from webenv.wrappers.menu.wrapper import MenuWrapper, VectorMenuWrapper, answers_of, menu_space

__all__ = [
    "CANDIDATE_FEATURES",
    "CONTEXT_FEATURES",
    "QUERY_FEATURES",
    "SITE_FEATURES",
    "Answers",
    "Choice",
    "Menu",
    "MenuSize",
    "MenuWrapper",
    "VectorMenuWrapper",
    "answers_of",
    "feature_shapes",
    "menu_space",
    "write_features",
]
