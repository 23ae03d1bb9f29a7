"""stub"""

from data import quickstart_patterns_tenses
