"""Layers of multi-token prediction (MTP): small drafting modules that are published beside a model's own layers.

An engine loads them only when it is asked to guess tokens ahead with them (speculative decoding). Each is a layer of the
model's own kind, with a cache of its own. Before it, one matrix makes its input of the token's embedding and the model's last hidden
state, with a norm over each of them, and one norm over its output. Embedding and output layer are the model's own.

Sources: DeepSeek-V3, arXiv 2412.19437, section 2.2; deepseek-ai/DeepSeek-V3@b4e06d8, README_WEIGHTS.md; vllm-project/vllm,
vllm/model_executor/models: deepseek_mtp.py@03356f8, glm4_moe_mtp.py@028aedf, mimo_mtp.py@0bb55d6, qwen3_5_mtp.py@01d9980,
qwen3_next_mtp.py@055e47c, nemotron_h_mtp.py@01ca277.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from kvcore.errors import check_int
from kvcore.groups import Group
from kvcore.layers import MOST_LAYERS
from kvcore.mlp import Mlp
from kvcore.tensors import Tensor

__all__ = ["MtpLayers"]

_NORMS = ("enorm", "hnorm", "norm")


@dataclass(frozen=True, slots=True, kw_only=True)
class MtpLayers:
    """MTP layers: their attention, their MLPs, and the matrices that make their inputs.

    groups, mlps: as in a shape. projections: how many matrices make inputs: one for each layer (DeepSeek, GLM, MiMo), or one
    for all of them (Qwen). Names of the tensors are DeepSeek's; Qwen calls them fc, pre_fc_norm_embedding, pre_fc_norm_hidden, norm.

    Raises:
        OutOfRange: when the number of projections is out of range.
    """

    groups: tuple[Group, ...]
    mlps: tuple[Mlp, ...]
    projections: int = 1

    def __post_init__(self) -> None:
        check_int("projections", self.projections, 1, MOST_LAYERS)

    @property
    def layers(self) -> int:
        """The number of MTP layers."""
        return sum(group.layers for group in self.groups if not group.parallel)

    def tensors(self, hidden_size: int) -> Iterator[Tensor]:
        """The projections, one a row of [hidden, 2 * hidden], and their norms; the tensors of the layers come with the layers.

        >>> [(tensor.name, tensor.shape) for tensor in MtpLayers(groups=(), mlps=()).tensors(7168)]
        [('mtp.eh_proj', (7168, 14336)), ('mtp.enorm', (7168,)), ('mtp.hnorm', (7168,)), ('mtp.norm', (7168,))]
        """
        yield Tensor("mtp.eh_proj", (hidden_size, 2 * hidden_size), "mtp", self.projections)
        for name in _NORMS:
            yield Tensor(f"mtp.{name}", (hidden_size,), "norm", self.projections)
