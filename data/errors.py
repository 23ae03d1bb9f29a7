"""The one exception for input that a user can mend."""


class InputError(ValueError):
    """Input that cannot be used; the message says in one line what was given, what is allowed and what to do.

    The command-line scripts print it as `error: …` and exit with code 2.
    """
