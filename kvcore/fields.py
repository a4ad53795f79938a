"""Reads the fields of a config: every read checks the type and range, errors name the field, and fields nobody read are refused."""

from collections.abc import Iterable, Mapping

from kvcore.errors import Invalid, Unsupported, check_int
from kvcore.layers import MOST_LAYERS, MOST_TOKENS, MOST_WIDTH

__all__ = ["REQUIRED", "Fields"]

REQUIRED: int = -1
_STRUCTURAL = (
    "attn", "bias", "block", "chunk", "compress", "conv", "cross", "dim", "embed", "expert", "head", "hybrid",
    "index_", "kv", "latent", "layer", "linear", "lora", "mamba", "memory", "mlp", "moe", "norm", "pattern", "rank",
    "shared", "size", "sparse", "ssm", "state", "tie_", "window",
)  # fmt: skip
"""Words in the names of fields that may change a shape. A field with such a name that no reader has read is refused:
otherwise a config with an unknown feature would give a wrong number without a word."""

_HARMLESS = frozenset(
    # What every config may carry, and what changes values, training or rounding but no shape.
    """
    add_bos_token attention_dropout attn_implementation attn_pdrop bad_words_ids bos_token_id chunk_size_feed_forward
    embd_pdrop embedding_dropout embedding_multiplier encoder_no_repeat_ngram_size expert_dtype experts_per_token
    head_dropout hidden_dropout initializer_range layer_norm_eps layer_norm_epsilon layerdrop layer_scale_init_value
    mlp_dropout moe_aux_loss_coef moe_router_dtype norm_eps norm_epsilon norm_topk_prob normalize_router_prob
    num_experts_per_tok output_hidden_states pad_token_id pretraining_tp rms_norm_eps attention_softmax_in_fp32
    attention_multiplier attn_logit_softcapping final_logit_softcapping query_pre_attn_scalar residual_multiplier
    mup_width_multiplier resid_pdrop rotary_dim rotary_ndims rotary_emb_base router_aux_loss_coef
    scale_attention_softmax_in_fp32 scale_attn_weights scale_attn_by_inverse_layer_idx scale_embedding
    sep_token_id type_vocab_size use_cache validate_runner_input inference_runner max_batch_size max_sequence_length
    original_max_position_embeddings prefix_token_id problem_type pruned_heads embedding_initializer_range
    slow_but_exact tokenizer_class apply_residual_connection_post_layernorm attention_probs_dropout_prob
    is_encoder_decoder cross_attention_hidden_size tie_encoder_decoder summary_type no_repeat_ngram_size
    decoder_start_token_id masked_softmax_fusion offset_alibi initial_context_length num_beams num_beam_groups
    num_labels num_return_sequences num_logits_to_keep n_ctx embd_dropout residual_dropout norm_type mlp_type
    cache_implementation full_attn_mod
    n_group topk_group rescale_prenorm_residual moe_router_activation_func moe_renormalize moe_shared_expert_overlap
    layernorm_epsilon final_layernorm_epsilon
    """.split()  # noqa: SIM905 - as a literal it would be a screen of quotation marks
)


class Fields:
    """The fields of one config, read one by one.

    Args:
        config: the parsed JSON object.
        path: where it stands in a larger one, as a prefix of names in errors ("text_config.").

    Raises:
        Invalid: when `config` is no mapping of strings.
    """

    def __init__(self, config: object, path: str = "") -> None:
        if not isinstance(config, Mapping) or not all(isinstance(key, str) for key in config):
            raise Invalid(path.rstrip(".") or "config", config, "a JSON object")
        self._config = config
        self._path = path
        self._read: set[str] = set()
        self._ignored: set[str] = set()
        self.assumed: dict[str, object] = {}

    def name(self, key: str) -> str:
        """The full name of a key, for errors: text_config.hidden_size."""
        return self._path + key

    def has(self, key: str) -> bool:
        """Whether the config has the key and its value is not null."""
        return self._config.get(key) is not None

    def value(self, key: str) -> object:
        """The value as it is, or None; the key counts as read."""
        self._read.add(key)
        return self._config.get(key)

    def ignore(self, *keys: str) -> None:
        """Mark keys as known whose values change no shape, so that `finish` does not refuse them."""
        self._ignored.update(keys)

    def integer(
        self, key: str, default: int = REQUIRED, *, null: int = REQUIRED, low: int = 1, high: int = MOST_WIDTH
    ) -> int:
        """An integer from `low` to `high`; `default` where the key is missing, `null` where its value is null."""
        value = self.value(key)
        if value is None:
            present = key in self._config
            fallback = null if present else default
            if fallback == REQUIRED:
                raise Invalid(self.name(key), value, "there, and this family needs it" if not present else "a number")
            self.assumed[self.name(key)] = fallback
            return fallback
        return check_int(self.name(key), value, low, high)

    def layers(self, key: str) -> int:
        """A number of layers."""
        return self.integer(key, high=MOST_LAYERS)

    def tokens(self, key: str, default: int | None = None) -> int | None:
        """A number of tokens, or None for no limit where the value is null; `default` where the key is missing."""
        value = self.value(key)
        if value is None:
            if key in self._config:
                return None
            self.assumed[self.name(key)] = default
            return default
        return check_int(self.name(key), value, 1, MOST_TOKENS)

    def integers_per_layer(self, key: str, length: int) -> list[int]:
        """A number for each of `length` layers: a list of them, or one number for all."""
        value = self.value(key)
        if isinstance(value, list):
            if len(value) != length:
                raise Invalid(self.name(key), value, f"a list of {length}, one entry a layer")
            return [check_int(self.name(key), item, 1, MOST_WIDTH) for item in value]
        return [self.integer(key)] * length

    def flag(self, key: str, default: bool) -> bool:
        """A boolean; `default` if the key is missing or null."""
        value = self.value(key)
        if value is None:
            self.assumed[self.name(key)] = default
            return default
        if not isinstance(value, bool):
            raise Invalid(self.name(key), value, "true or false")
        return value

    def strings(self, key: str, length: int, allowed: Iterable[str]) -> list[str] | None:
        """A list of `length` strings, each one of `allowed`; None if the key is missing or null."""
        value = self.value(key)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) != length:
            raise Invalid(self.name(key), value, f"a list of {length}, one entry a layer")
        known = tuple(allowed)
        for word in value:
            if word not in known:
                raise Unsupported(self.name(key), word, f"one of {', '.join(known)}")
        return value

    def integers(self, key: str, length: int, allowed: tuple[int, ...]) -> list[int] | None:
        """A list of `length` integers, each one of `allowed`; None if the key is missing, null or an empty list."""
        value = self.value(key)
        if value is None or value == []:
            return None
        if not isinstance(value, list) or len(value) != length:
            raise Invalid(self.name(key), value, f"a list of {length}, one entry a layer")
        for item in value:
            if type(item) is not int or item not in allowed:
                raise Unsupported(self.name(key), item, f"one of {', '.join(map(str, allowed))}")
        return value

    def letters(self, key: str, letters: str) -> str:
        """A string with one letter per layer, all of them among `letters`."""
        value = self.value(key)
        if not isinstance(value, str) or not 1 <= len(value) <= MOST_LAYERS:
            raise Invalid(self.name(key), value, f"a word of the letters {letters}, one a layer")
        for letter in value:
            if letter not in letters:
                raise Unsupported(self.name(key), letter, f"one of {', '.join(letters)}")
        return value

    def layer_indices(self, key: str, below: int) -> frozenset[int]:
        """A list of layer indices below `below`, as a set; empty if the key is missing or null."""
        value = self.value(key)
        if value is None:
            return frozenset()
        if not isinstance(value, list) or len(value) > below:
            raise Invalid(self.name(key), value, f"a list of layer numbers below {below}")
        return frozenset(check_int(self.name(key), index, 0, below - 1) for index in value)

    def require(self, key: str, expected: object, default: object) -> None:
        """Refuse any value but `expected`, the only one kvcore has a formula for. A missing or null key counts as `default`."""
        value = self.value(key)
        value = default if value is None else value
        if value != expected or type(value) is not type(expected):
            raise Unsupported(self.name(key), value, f"{expected}, the one case there is a formula for")

    def used(self) -> dict[str, object]:
        """The fields that are there and were read: all that the shape was made of."""
        return {key: value for key, value in self._config.items() if key in self._read}

    def finish(self) -> None:
        """Refuse every field that may change the shape (by its name) and that the family's reader neither read nor ignored."""
        for key, value in self._config.items():
            if key in self._read | self._ignored or key in _HARMLESS or key.startswith("_") or not value:
                continue
            if key.startswith(("num_", "n_")) or any(part in key.lower() for part in _STRUCTURAL):
                raise Unsupported(self.name(key), value, "known for this model_type, and it may change the shape")
