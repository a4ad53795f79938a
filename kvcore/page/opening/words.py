"""Every phrase of the opening figure."""

from kvcore.page.phrases import tokens, users

WEIGHTS = "weights"


def handle(context: int) -> str:
    return f"Users at {tokens(context)}"


def tipping(count: int) -> str:
    return users(count)


def finding(model: str, weights: str, cache: str, kept: str, batch: int) -> str:
    """The figure in a sentence, for screen readers."""
    return f"{model}: {weights} of weights beside {cache} of {kept} for {users(batch)}."


def takes(kept: str, batch: int, cache: str, ratio: str, model: str, *, above: bool) -> str:
    """What the users' cache takes, and how much of the weights that is."""
    return f"The {kept} of {users(batch)} takes {cache}, {ratio}{' times' if above else ' of'} the weights of {model}."


def tips(tipping: str) -> str:
    return f"It outweighs them from {tipping} on."
