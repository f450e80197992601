"""Table 1: the sum over positives outside or inside of the logarithm."""

from supcon.experiments.experiment import Experiment, Setting, above

OUT, IN = "L_out (Eq. 2)", "L_in (Eq. 3)"

LOSS_VARIANTS = Experiment(
    name="loss-variants",
    where="Table 1",
    claim="L_out, with the sum over positives outside of the logarithm (Eq. 2), is better than L_in, with the sum "
    "inside (Eq. 3): 78.7 against 67.4 %.",
    settings=lambda scale: [
        Setting(name=OUT, method="supcon", published={"test/top1": 0.787}),
        Setting(name=IN, method="supcon-in", published={"test/top1": 0.674}),
    ],
    comparisons=lambda scale: [above(OUT, IN)],
)
