"""Changes of a config, one field at a time.

A change is a mapping of fields to their new values. `LEFT_OUT` says that the field is not there, and a field of the text
model inside is named by its path, text_config.hidden_size.
"""

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["CACHED", "LEFT_OUT", "UNRELATED", "Change", "changed", "changes", "of_layers"]

LEFT_OUT = "(left out)"

type Change = dict[str, Any]

UNRELATED = frozenset(
    """_name_or_path architectures attention_dropout attn_pdrop aux_loss_alpha bos_token_id chunk_size_feed_forward
    classifier_dropout decoder_start_token_id dropout dtype emb_pdrop embd_pdrop embedding_dropout eod_token_id eos_token_id hidden_act hidden_dropout
    id2label init_device init_std initializer_cutoff_factor initializer_range input_jitter_noise is_encoder_decoder
    label2id layer_norm_eps layer_norm_epsilon layerdrop model_type norm_eps norm_epsilon num_labels
    output_attentions output_hidden_states output_router_logits pad_token_id problem_type resid_pdrop residual_dropout
    return_dict rms_norm_eps rope_theta router_aux_loss_coef router_jitter_noise sep_token_id seq_aux tokenizer_class
    torch_dtype transformers_version use_cache""".split()  # noqa: SIM905 - names
)
"""Fields that every config may have, and that speak of training, tokens or output."""

CACHED = tuple(
    """head kv_ window layer pattern chunk rank state conv group interval period offset linear mamba multi_query hidden_size
    d_model _dim expand share index_ type attn_ sliding new_decoder hybrid full_attn k_eq_v""".split()  # noqa: SIM905 - words
)
"""Words in the names of fields that a cache may depend on: after a change of any other, parameters alone are counted."""

_KINDS = ("full_attention", "sliding_attention", "chunked_attention", "linear_attention", "conv", "mamba", "attention")
_DEPTHS = ("num_hidden_layers", "n_layer", "n_layers")


def changed(config: Mapping[str, Any], change: Change) -> dict[str, Any]:
    """The config with the change made.

    >>> changed({"a": 1, "b": {"c": 2}}, {"a": LEFT_OUT, "b.c": 3, "d": None})
    {'b': {'c': 3}, 'd': None}
    """
    done = dict(config)
    for path, value in change.items():
        outer, dot, key = path.partition(".")
        if dot:
            done[outer] = changed(done[outer], {key: value})
        elif isinstance(value, str) and value == LEFT_OUT:
            done.pop(path, None)
        else:
            done[path] = value
    return done


def changes(config: Mapping[str, Any]) -> Iterator[Change]:
    """Each field left out, null, and with other values of its own kind.

    >>> list(changes({"heads": 8, "flag": True, "dtype": "float32"}))[:4]
    [{'heads': '(left out)'}, {'heads': None}, {'heads': 0}, {'heads': 16}]
    """
    for key, value in config.items():
        if key in UNRELATED or key.startswith("_"):
            continue
        yield {key: LEFT_OUT}
        for other in _others(value):
            yield {key: other}
        if key in _DEPTHS:
            for layers in (3, 7):
                yield {key: layers}


def of_layers(config: Mapping[str, Any]) -> Iterator[Change]:
    """Each field left out, the number of layers and the windows changed, and each list of layers with other kinds in it."""
    for change in changes(config):
        key, value = next(iter(change.items()))
        if value == LEFT_OUT or any(word in key for word in ("layers", "pattern", "window")):
            yield change
    for key, value in config.items():
        if isinstance(value, list) and len(value) > 1 and len(value) == _depth(config):
            for other in _lists(value):
                yield {key: other}


def _depth(config: Mapping[str, Any]) -> int:
    return next((int(config[key]) for key in _DEPTHS if isinstance(config.get(key), int)), 0)


def _others(value: object) -> Iterator[object]:
    if value is None:
        yield from (4, True)
    elif isinstance(value, bool):
        yield from (None, not value)
    elif isinstance(value, int):
        yield from (None, *sorted({0, value * 2} - {value}))
    elif isinstance(value, list):
        yield None


def _lists(old: list[Any]) -> Iterator[list[Any]]:
    """Lists of as many entries: all alike, all alike but the last, the old one reversed; and one that is too short."""
    alike: list[Any] = []
    if isinstance(old[0], str):
        alike = sorted({*old, *_KINDS})
    elif isinstance(old[0], int):
        alike = [0, 1]
    for kind in alike:
        yield [kind] * len(old)
    for kind in alike:
        for last in alike:
            if kind != last and (kind in old or last in old):
                yield [kind] * (len(old) - 1) + [last]
    yield old[::-1]
    yield old[:-1]
