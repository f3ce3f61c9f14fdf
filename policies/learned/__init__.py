"""Policies that learn: one scorer over a menu of actions, and two ways to train it.

They need torch, the extra ``train``; importing this package does not import it.
"""

from webenv.policies.learned.learner import Learner, Update

__all__ = ["Learner", "Update"]
