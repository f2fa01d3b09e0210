"""Reference values for tests/stats.rs.

Made with Python 3, NumPy 2.4.6, SciPy 1.17.1 and statsmodels 0.15.0:

    pip install numpy==2.4.6 scipy==1.17.1 statsmodels==0.15.0
    python3 tests/stats/reference.py > tests/stats/reference.json
"""

import json
import math
import sys
import warnings

import numpy as np
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

warnings.simplefilter("ignore")
RNG = np.random.default_rng(20260101)


def plain(values):
    return [float(value) for value in values]


SAMPLES = {
    "skewed": plain(np.round(RNG.exponential(2.0, 12) - 1.0, 6)),
    "symmetric": plain(np.round(RNG.normal(0.3, 1.0, 20), 6)),
    "ties": [1.0, 1.0, 2.0, -1.0, 0.0, 3.0, 3.0, -2.0, 0.0, 1.0],
    "all or nothing": [0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 1.0, 0.0],
    "two": [1.5, -0.25],
    "all of one sign": [0.2, 0.5, 0.1, 0.9, 1.4, 0.3],
    "long": plain(np.round(RNG.normal(0.2, 1.0, 28), 6)),
}


def estimates():
    """Student's t: of one sample, of strata and of clusters, by tests that are the same on paper."""
    cases = []

    def case(name, unit, strata, t, p, interval):
        values = [value for stratum in strata for value in stratum]
        labels = [place for place, stratum in enumerate(strata) for _ in stratum]
        cases.append(dict(name=name, unit=unit, values=plain(values), labels=labels, t=float(t),
                          p=float(p), low=float(interval.low), high=float(interval.high)))

    for name in ("skewed", "symmetric", "ties", "long"):
        found = stats.ttest_1samp(SAMPLES[name], 0.25, alternative="two-sided")
        above = stats.ttest_1samp(SAMPLES[name], 0.25, alternative="greater").pvalue
        case(name, "sessions", [SAMPLES[name]], found.statistic, above, found.confidence_interval(0.9))
    # Two strata of one size: their mean is half of the first less the turned second (Welch).
    one, two = SAMPLES["skewed"], SAMPLES["symmetric"][:12]
    found = stats.ttest_ind(one, [0.5 - x for x in two], equal_var=False)
    above = stats.ttest_ind(one, [0.5 - x for x in two], equal_var=False, alternative="greater").pvalue
    ends = stats.ttest_ind(one, [-x for x in two], equal_var=False).confidence_interval(0.9)
    halved = type(ends)(ends.low / 2, ends.high / 2)
    case("two strata", "within-scenarios", [one, two], found.statistic, above, halved)
    # Clusters of one size are a sample of their means.
    clusters = [SAMPLES["long"][place * 4:place * 4 + 4] for place in range(7)]
    means = [float(np.mean(cluster)) for cluster in clusters]
    found = stats.ttest_1samp(means, 0.25)
    above = stats.ttest_1samp(means, 0.25, alternative="greater").pvalue
    case("clusters", "scenarios", clusters, found.statistic, above, found.confidence_interval(0.9))
    return cases


def paired():
    cases = []
    for name, values in SAMPLES.items():
        x = np.array(values)
        case = dict(name=name, values=values)
        if len(x) <= 20:
            flip = stats.permutation_test((x, np.zeros_like(x)), lambda a, b, axis: np.sum(a - b, axis=axis),
                                          permutation_type="samples", n_resamples=np.inf, vectorized=True)
            case["sign_flip"] = float(flip.pvalue)
        case["standardized_mean"] = float(x.mean() / x.std(ddof=1))
        cases.append(case)
    return cases


def binary():
    differences = []
    for b, c, n, level in [(0, 0, 8, 0.95), (3, 1, 20, 0.95), (9, 2, 40, 0.9), (5, 0, 5, 0.95)]:
        # Bonett and Price (2012), equation 5, written out.
        p12, p21 = (b + 1) / (n + 2), (c + 1) / (n + 2)
        reach = stats.norm.ppf(0.5 + level / 2) * math.sqrt((p12 + p21 - (p12 - p21) ** 2) / (n + 2))
        differences.append(dict(ours=b, theirs=c, count=n, level=level,
                                low=p12 - p21 - reach, high=p12 - p21 + reach))
    return differences


def families():
    cases = []
    for raw in ([0.01, 0.04, 0.03, 0.005], [0.5], [0.05, 0.05, 0.05], [0.9, 0.0, 1.0, 0.2, 0.02, 0.021]):
        cases.append(dict(raw=raw, holm=plain(multipletests(raw, method="holm")[1])))
    return cases


def power():
    """Effects in standard deviations that so many sessions find with a power of .9, one-sided."""
    return [dict(sessions=n, level=level,
                 effect=float(TTestPower().solve_power(None, n, level, 0.9, alternative="larger")))
            for n, level in [(8, 0.05), (8, 0.005), (20, 0.01), (40, 0.05), (64, 0.025), (200, 0.001)]]


def quantities():
    return dict(estimates=estimates(), paired=paired(), binary=binary(), families=families(), power=power())


json.dump(quantities(), sys.stdout)
print()
