"""Parameters, totals and cliffs agree with a second computation by numpy, for random models.

It lists the sizes of all weight tensors, and adds up the cache for every number of tokens.
"""

import pytest

from kvcore.dtypes import cache_dtype, weight_dtype
from kvcore.footprint import Footprint
from kvcore.shape import LayerGroup, Mlp, Shape

np = pytest.importorskip("numpy", reason="the suite also runs inside Pyodide, where numpy is not installed")

SEEDS = range(60)
DTYPES = {"fp32": (1, 4), "fp16": (1, 2), "fp8": (1, 1), "q8_0": (32, 34), "q4_0": (32, 18)}
"""Name of a type -> numbers in a block, and bytes of a block."""


def random_shape(rng):
    """Return a random model: sizes, sliding windows in some layers, biases, norms and experts vary."""
    kv_heads, share, dim = (int(rng.integers(1, 9)) for _ in range(3))
    full, sliding = int(rng.integers(1, 9)), int(rng.integers(0, 9))
    groups = [LayerGroup(layers=full, kv_heads=kv_heads, key_dim=8 * dim, value_dim=8 * dim)]
    if sliding:
        window = int(rng.integers(1, 300))
        groups.append(
            LayerGroup(
                kind="sliding", layers=sliding, kv_heads=kv_heads, key_dim=8 * dim, value_dim=8 * dim, window=window
            )
        )
    experts = int(rng.choice([0, 4]))
    mlp = Mlp(
        layers=full + sliding,
        intermediate_size=int(rng.integers(1, 500)),
        gated=bool(rng.integers(2)),
        bias=bool(rng.integers(2)),
        experts=experts,
        shared_size=int(rng.integers(1, 9)) if experts else 0,
    )
    return Shape(
        hidden_size=int(rng.integers(1, 300)),
        query_heads=kv_heads * share,
        groups=tuple(groups),
        mlps=(mlp,),
        vocab_size=int(rng.integers(1, 1000)),
        tied=bool(rng.integers(2)),
        qkv_bias=bool(rng.integers(2)),
        output_bias=bool(rng.integers(2)),
        qk_norm=str(rng.choice(["none", "head", "all"])),
        norms_per_layer=int(rng.integers(1, 5)),
        model_norms=int(rng.integers(1, 3)),
        norm_bias=bool(rng.integers(2)),
        position_rows=int(rng.integers(0, 50)),
        lm_head_bias=bool(rng.integers(2)),
    )


def tensors(shape):
    """Return the sizes of all weight tensors of a model, as a checkpoint would list them."""
    hidden, vocab = shape.hidden_size, shape.vocab_size
    norm = [(hidden,)] * (2 if shape.norm_bias else 1)
    sizes = [(vocab, hidden), (shape.position_rows, hidden), *norm * shape.model_norms]
    sizes += [] if shape.tied else [(vocab, hidden)]
    sizes += [(vocab,)] if shape.lm_head_bias else []
    for group in shape.groups:
        outputs = [shape.query_heads * group.key_dim, group.kv_heads * group.key_dim, group.kv_heads * group.value_dim]
        for _ in range(group.layers):
            sizes += [(out, hidden) for out in outputs] + [(hidden, shape.query_heads * group.value_dim)]
            sizes += [(out,) for out in outputs] if shape.qkv_bias else []
            sizes += [(hidden,)] if shape.output_bias else []
            sizes += {"none": [], "head": [(group.key_dim,)] * 2, "all": [(out,) for out in outputs[:2]]}[shape.qk_norm]
            sizes += norm * shape.norms_per_layer
    for mlp in shape.mlps:
        widths = [mlp.intermediate_size] * max(mlp.experts, 1) + ([mlp.shared_size] if mlp.shared_size else [])
        for width in widths * mlp.layers:
            inputs = 2 if mlp.gated else 1
            sizes += [(width, hidden)] * inputs + [(hidden, width)]
            sizes += [(width,)] * inputs + [(hidden,)] if mlp.bias else []
        sizes += [(mlp.experts, hidden)] * mlp.layers if mlp.experts else []
    return sizes


def cache_curve(shape, dtype, most):
    """Return the bytes of one sequence's cache at 0, 1, ... `most` tokens."""
    block_values, block_bytes = DTYPES[dtype]
    contexts = np.arange(most + 1, dtype=np.int64)
    curve = np.zeros(most + 1, dtype=np.int64)
    for group in shape.groups:
        cached_tokens = np.minimum(contexts, most if group.window is None else group.window)
        for _ in range(group.layers):
            for width in (group.kv_heads * group.key_dim, group.kv_heads * group.value_dim):
                curve += cached_tokens * int(np.ceil(width / block_values)) * block_bytes
    return curve


@pytest.mark.parametrize("seed", SEEDS)
def test_the_parameters_are_the_sum_of_the_sizes_of_all_tensors(seed):
    shape = random_shape(np.random.default_rng(seed))
    assert shape.params == sum(int(np.prod(size, dtype=np.int64)) for size in tensors(shape))


@pytest.mark.parametrize("seed", SEEDS)
def test_totals_and_cliffs(seed):
    rng = np.random.default_rng(1000 + seed)
    shape, dtype, batch = random_shape(rng), str(rng.choice(list(DTYPES))), int(rng.integers(1, 200))
    most = 3000
    curve = cache_curve(shape, dtype, most)
    footprint = Footprint(
        shape=shape,
        context=int(rng.integers(1, most)),
        batch=batch,
        cache_dtype=cache_dtype(dtype),
        weight_dtype=weight_dtype("fp16"),
        gpu_bytes=2**20,
    )
    weights = 2 * sum(int(np.prod(size, dtype=np.int64)) for size in tensors(shape))
    assert footprint.bytes_per_token == curve[1]
    assert footprint.cache_bytes == batch * curve[footprint.context]
    assert footprint.weights_bytes == weights
    assert footprint.gpus_by_memory == int(np.ceil((weights + batch * curve[footprint.context]) / 2**20))
    over = np.flatnonzero(batch * curve > weights)
    if over.size:
        assert footprint.cliff_context == over[0]
    else:
        assert footprint.cliff_context is None or footprint.cliff_context > most
    assert footprint.cliff_batch == int(np.argmax(np.arange(10**6) * curve[footprint.context] > weights))
