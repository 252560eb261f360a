import math
import unittest

from ontime.lab import intervals
from ontime.lab.intervals import Z95, mean, paired_difference, quantile, share, student_t
from scipy import stats

SQUARE = Z95 * Z95


class Intervals(unittest.TestCase):
    def test_quantiles_of_student_are_scipys(self):
        for degrees, error in ((1, 1e-6), (9, 1e-6), (11, 2e-4), (29, 2e-5), (100000, 1e-6)):
            self.assertAlmostEqual(student_t(degrees), stats.t.ppf(0.975, degrees), delta=error)

    def test_the_mean_of_runs_has_its_half_width(self):
        found = mean([1, 2, 3, 4])
        self.assertEqual(found.value, 2.5)
        self.assertAlmostEqual(found.high - found.value, 3.182446 * math.sqrt(5 / 3 / 4), 5)

    def test_one_run_has_none(self):
        self.assertEqual(mean([7]).value, 7)
        self.assertFalse(mean([7]).has_interval())

    def test_runs_without_a_value_do_not_count(self):
        self.assertEqual(mean([1, math.nan, 3])[::3], (2, 2))
        self.assertTrue(math.isnan(mean([math.nan]).value))

    def test_shares_have_wilsons_interval(self):
        self.assertAlmostEqual(share(1, 2).low, 0.0945, 4)
        self.assertAlmostEqual(share(1, 2).high, 0.9055, 4)

    def test_pairs_that_all_agree_have_a_difference_of_some_width(self):
        """z^2 / (n + z^2), and (n - z^2) / (n + z^2): the equations of the score, solved by hand."""
        none, every = paired_difference(0, 0, 40), paired_difference(40, 0, 40)
        self.assertEqual((none.value, every.value, every.high), (0, 1, 1))
        self.assertAlmostEqual(none.high, SQUARE / (40 + SQUARE), 9)
        self.assertAlmostEqual(none.low, -none.high, 9)
        self.assertAlmostEqual(every.low, (40 - SQUARE) / (40 + SQUARE), 9)
        self.assertAlmostEqual(paired_difference(0, 40, 40).high, -every.low, 9)
        self.assertFalse(paired_difference(0, 0, 0).has_interval())

    def test_paired_differences_hold_the_true_one_nineteen_times_in_twenty(self):
        """Over all outcomes of 30 pairs, by their probabilities."""
        seen = {
            (gained, lost): paired_difference(gained, lost, 30) for gained in range(31) for lost in range(31 - gained)
        }
        for gain, loss in ((0.3, 0.1), (0.2, 0.2), (0.6, 0.02), (0.05, 0.4), (0.1, 0.02)):
            held = sum(
                stats.multinomial.pmf([*counts, 30 - sum(counts)], 30, [gain, loss, 1 - gain - loss])
                for counts, found in seen.items()
                if found.low <= gain - loss <= found.high
            )
            self.assertTrue(0.93 < held < 0.985, (gain, loss, held))

    def test_quantiles_are_linear_between_neighbours(self):
        self.assertEqual([quantile([10, 20, 40], q) for q in (0, 0.5, 0.75, 1)], [10, 20, 30, 40])
        self.assertTrue(math.isnan(quantile([], 0.5)))

    def test_sums_are_made_one_after_another(self):
        self.assertEqual(intervals.added([1e16, 1, -1e16]), (1e16 + 1) - 1e16)


if __name__ == "__main__":
    unittest.main()
