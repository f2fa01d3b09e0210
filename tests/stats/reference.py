"""Reference values for tests/stats.rs.

Made with Python 3, NumPy 2.4.6, SciPy 1.17.1 and statsmodels 0.15.0:

    pip install numpy==2.4.6 scipy==1.17.1 statsmodels==0.15.0
    python3 tests/stats/reference.py > tests/stats/reference.json

Resampling is compared on stored index matrices, so that both sides use the same draws.
"""

import itertools
import json
import math
import sys
import warnings

import numpy as np
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
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


class Stored:
    """A generator that hands out stored indices, as scipy.stats.bootstrap asks."""

    def __init__(self, matrices):
        self.matrices = list(matrices)

    def integers(self, low, high, size):
        matrix = self.matrices.pop(0)
        assert low == 0 and tuple(size) == matrix.shape, (low, high, size)
        return matrix


def bca_of(data, statistic, level, matrices):
    """BCa written out from Efron (1987) and several samples as in SciPy's source,
    checked below against scipy.stats.bootstrap on its own draws."""
    draws = [sample[matrix] for sample, matrix in zip(data, matrices)]
    resampled = statistic(*draws)
    estimate = statistic(*data)
    # A value that is the estimate but for its last digit would count as under or above it.
    near = (resampled != estimate) & (np.abs(resampled - estimate) < 1e-12)
    resampled = np.where(near, estimate, resampled)
    below = (np.sum(resampled < estimate) + np.sum(resampled <= estimate)) / (2 * len(resampled))
    z0 = stats.norm.ppf(below)
    cubes = squares = 0.0
    without = []
    for place, sample in enumerate(data):
        values = []
        for index in range(len(sample)):
            left = list(data)
            left[place] = np.delete(sample, index)
            values.append(statistic(*left))
        values = np.array(values)
        influence = (len(sample) - 1) * (values.mean() - values)
        cubes += np.sum(influence**3) / len(sample) ** 3
        squares += np.sum(influence**2) / len(sample) ** 2
        without.append(plain(values))
    a = cubes / (6 * squares**1.5)
    ends = []
    for share in ((1 - level) / 2, (1 + level) / 2):
        z = z0 + stats.norm.ppf(share)
        ends.append(np.percentile(resampled, 100 * stats.norm.cdf(z0 + z / (1 - a * z))))
    return plain(resampled), float(estimate), without, plain(ends)


def bca():
    cases = []
    for name, level in itertools.product(["skewed", "symmetric", "ties", "all or nothing"], [0.95, 0.8]):
        sample = np.array(SAMPLES[name])
        matrix = RNG.integers(0, len(sample), (199, len(sample)))
        mean = lambda x: np.mean(x, axis=-1)
        resampled, estimate, without, ends = bca_of([sample], mean, level, [matrix])
        found = stats.bootstrap(
            (sample,), np.mean, n_resamples=0, method="BCa", confidence_level=level,
            vectorized=True, bootstrap_result=argparse_like(resampled),
        )
        scipy_ends = plain([found.confidence_interval.low, found.confidence_interval.high])
        assert np.allclose(ends, scipy_ends, rtol=0, atol=1e-12), (ends, scipy_ends)
        cases.append(dict(name=name, level=level, values=plain(sample), draws=matrix.tolist(),
                          low=scipy_ends[0], high=scipy_ends[1]))
    return cases


def argparse_like(resampled):
    """What SciPy continues a bootstrap from: a result with these resampled values."""
    class Earlier:
        bootstrap_distribution = np.array(resampled)
    return Earlier()


def bca_strata():
    """Strata as several samples: the statistic is the mean over all sessions."""
    cases = []
    for sizes in ([4, 6, 3], [2, 2, 2, 2], [5, 12]):
        strata = [np.round(RNG.exponential(1.0 + place, size), 6) for place, size in enumerate(sizes)]
        total = sum(sizes)

        def pooled(*samples, axis=-1):
            parts = [size / total * np.mean(x, axis=axis) for size, x in zip(sizes, samples)]
            return sum(parts)

        matrices = [RNG.integers(0, size, (199, size)) for size in sizes]
        resampled, estimate, without, ends = bca_of(strata, pooled, 0.95, matrices)
        found = stats.bootstrap(
            tuple(strata), pooled, n_resamples=0, method="BCa", confidence_level=0.95,
            vectorized=True, bootstrap_result=argparse_like(resampled),
        )
        scipy_ends = plain([found.confidence_interval.low, found.confidence_interval.high])
        assert np.allclose(ends, scipy_ends, rtol=0, atol=1e-12), (ends, scipy_ends)
        cases.append(dict(strata=[plain(x) for x in strata], draws=[m.tolist() for m in matrices],
                          without_each=without, low=scipy_ends[0], high=scipy_ends[1]))
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
    tests = [dict(ours=b, theirs=c, p=float(mcnemar([[3, b], [c, 4]], exact=True).pvalue))
             for b, c in [(0, 0), (1, 0), (5, 1), (12, 3), (7, 7), (40, 22), (0, 9)]]
    differences = []
    for b, c, n, level in [(0, 0, 8, 0.95), (3, 1, 20, 0.95), (9, 2, 40, 0.9), (5, 0, 5, 0.95)]:
        # Bonett and Price (2012), equation 5, written out.
        p12, p21 = (b + 1) / (n + 2), (c + 1) / (n + 2)
        reach = stats.norm.ppf(0.5 + level / 2) * math.sqrt((p12 + p21 - (p12 - p21) ** 2) / (n + 2))
        differences.append(dict(ours=b, theirs=c, count=n, level=level,
                                low=max(p12 - p21 - reach, -1), high=min(p12 - p21 + reach, 1)))
    return dict(mcnemar=tests, paired_shares=differences)


def families():
    cases = []
    for raw in ([0.01, 0.04, 0.03, 0.005], [0.5], [0.05, 0.05, 0.05], [0.9, 0.0, 1.0, 0.2, 0.02, 0.021]):
        cases.append(dict(raw=raw, holm=plain(multipletests(raw, method="holm")[1])))
    return cases


def power():
    cases = []
    for n, effect, level in [(2, 0.5, 0.05), (5, 1.2, 0.05), (8, 0.8, 0.05), (20, 0.4, 0.01),
                             (40, -0.3, 0.05), (200, 0.25, 0.001), (30, 3.0, 0.05)]:
        value = TTestPower().power(effect, n, level, alternative="two-sided")
        cases.append(dict(sessions=n, effect=effect, level=level, power=float(value)))
    needed = []
    for deviation, difference, level in [(1.0, 0.5, 0.05), (0.2, 0.05, 0.05), (0.3, 0.02, 0.01)]:
        n = TTestPower().solve_power(difference / deviation, None, level, 0.8, alternative="two-sided")
        needed.append(dict(deviation=deviation, difference=difference, level=level, sessions=math.ceil(float(np.ravel(n)[0]))))
    return dict(power=cases, needed=needed)


def quantities():
    return dict(bca=bca(), bca_strata=bca_strata(), paired=paired(), binary=binary(), families=families(),
                power=power())


json.dump(quantities(), sys.stdout)
print()
