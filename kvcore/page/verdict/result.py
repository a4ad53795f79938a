"""The result of the deployment's controls: the verdict on the Lab's model, load and types on these GPUs."""

from dataclasses import dataclass
from fractions import Fraction

from kvcore.engines import suggested_cache_dtypes
from kvcore.page.controls import Values
from kvcore.page.lab.result import LabResult
from kvcore.page.verdict.controls import AVERAGE, CP, DP, ENGINE_BLOCK, EP, HOST_MEMORY, PP, RESERVE, TP
from kvcore.parallel import PerGpu
from kvcore.splits import Split
from kvcore.verdict import Verdict
from kvcore.weights import SUGGESTED


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictResult:
    """The verdict, and the Lab's result that it is about."""

    lab: LabResult
    verdict: Verdict

    @property
    def share(self) -> PerGpu:
        """What the fullest GPU stores."""
        return self.verdict.deployment

    @property
    def gpus(self) -> int:
        """The number of GPUs."""
        return self.share.split.gpus

    @property
    def units(self) -> str:
        """The unit system, "binary" or "decimal"."""
        return self.lab.units


def verdict_result(values: Values, lab: LabResult) -> VerdictResult:
    """Compute the verdict for the values of the deployment's controls, which `read_deployment` has made to fit the model."""
    return VerdictResult(
        lab=lab,
        verdict=Verdict(
            deployment=PerGpu(
                footprint=lab.footprint,
                split=Split(tp=TP.of(values), pp=PP.of(values), dp=DP.of(values), cp=CP.of(values), ep=EP.of(values)),
                block_size=ENGINE_BLOCK.of(values),
                reserve=Fraction(RESERVE.of(values), 100),
                reserve_of_rest=lab.engine.reserve_of_rest,
                index_keys_copied=lab.engine.index_keys_copied,
            ),
            average=AVERAGE.of(values),
            host_bytes=HOST_MEMORY.of(values) * 2**30,
            cache_dtypes=suggested_cache_dtypes(lab.engine, lab.shape, lab.gpu.peak_flops),
            weight_dtypes=(lab.model.weights, *SUGGESTED),
        ),
    )
