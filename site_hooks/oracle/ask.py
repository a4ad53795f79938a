"""Asks transformers about every config of a model_type; runs in the environment that has torch and transformers."""

import json
import signal
from collections.abc import Iterator, Mapping
from typing import Any

from kvcore.families import NESTED
from site_hooks.oracle import models, nested, variants
from site_hooks.oracle.by_hand import BY_HAND
from site_hooks.oracle.caches import OtherCacheError, kept
from site_hooks.oracle.parameters import counted
from site_hooks.oracle.rows import Answer, Block
from site_hooks.oracle.small import opened, small, spelled
from site_hooks.oracle.variants import LEFT_OUT, Change

__all__ = ["Asked", "about"]

_MOST_RUN = 80_000_000
"""Parameters of the largest model that is run: a default in the place of a small width makes a large one."""

_SECONDS = 300  # no answer takes so long; one that does is a fault of this program, and ends it


class Asked:
    """Transformers' answers, remembered by what its config object came to: most changes of a field come to the same."""

    def __init__(self) -> None:
        self._known: dict[str, Answer] = {}

    def answer(self, config: Mapping[str, Any], *, run: bool, large: bool = True) -> Answer:
        """What transformers says about a config.

        `run` says that its cache is measured too, `large` that the model may be too large for that, and is counted first.
        """
        signal.alarm(_SECONDS)
        try:
            read = models.read(config)
            key = json.dumps([type(read).__name__, run, read.to_dict()], sort_keys=True, default=repr)
            if key not in self._known:
                self._known[key] = _answer(read, run=run, large=large)
            return self._known[key]
        except OtherCacheError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, transformers refuses the config with it
            return {"refuses": type(error).__name__}
        finally:
            signal.alarm(0)


def _answer(config: Any, *, run: bool, large: bool) -> Answer:
    nested = hasattr(config, "text_config")
    model = models.built(config, "cpu" if run and not large and not nested else "meta")
    count = counted(model)
    said: dict[str, Any] = {"params": count.params, "biases": count.biases, "scalars": count.scalars}
    if run and count.params <= _MOST_RUN:
        try:
            if large or nested:
                model = models.built(config.get_text_config() if nested else config, "cpu")
            cache = kept(model)
        except OtherCacheError:
            raise
        except Exception as error:  # noqa: BLE001 - as above
            said["stops"] = type(error).__name__
        else:
            said |= {"cache": cache.cache, "index": cache.index if any(cache.index) else 0, "state": cache.state_bytes}
    return {name: value for name, value in said.items() if value or name == "params"}


def about(model_type: str) -> Block:
    """All answers about a model_type."""
    if model_type in NESTED:
        configs = {text: nested.inside(model_type, text) for text in NESTED[model_type]}
        questions = [(name, change) for name in configs for change in nested.changes()]
    else:
        configs = {
            "small": small(model_type),
            "saved": spelled(model_type, only_changes=True),
            "open": opened(model_type),
            "full": spelled(model_type),
        }
        questions = list(_questions(model_type, configs))
    asked = Asked()
    block = Block(model_type=model_type, configs=configs)
    done: set[str] = set()
    for name, change in questions:
        config = variants.changed(configs[name], change)
        text = json.dumps(config, sort_keys=True)
        if text not in done:
            done.add(text)
            answer = asked.answer(config, run=_run(change), large=LEFT_OUT in change.values())
            block.answers.append((name, change, answer))
    return block


def _questions(model_type: str, configs: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, Change]]:
    for name in configs:
        yield name, {}
    yield "open", {"dtype": "bfloat16"}
    yield from (("small", change) for change in BY_HAND.get(model_type, ()))
    yield from (("open", change) for change in variants.changes(configs["open"]))
    yield from (("full", change) for change in variants.of_layers(configs["full"]))


def _run(change: Change) -> bool:
    """Whether a change may concern the cache."""
    words = (*variants.CACHED, "dtype")
    return not change or any(
        any(word in key for word in words) and not any(word in key for word in ("bias", "norm", "multiplier"))
        for key in change
    )
