"""Powers of matrices in programs: products, and a sentence for what is no whole number."""

from fractions import Fraction

import pytest

from dalembert import expr as ex
from dalembert.lsd.check_arithmetic import MAX_EXPONENT, _matrix_power


def test_a_power_is_a_repeated_product() -> None:
    shear = tuple(tuple(ex.const(v) for v in row) for row in ((1, 2, 0), (0, 1, 0), (0, 0, 1)))
    assert _matrix_power(shear, ex.const(3))[0][1].value == 6
    assert _matrix_power(shear, ex.const(0))[0][1].value == 0


@pytest.mark.parametrize("power", [-1, MAX_EXPONENT + 1, Fraction(1, 2)])
def test_other_powers_are_refused(power) -> None:
    one = tuple(tuple(ex.const(int(i == j)) for j in range(3)) for i in range(3))
    with pytest.raises(ValueError, match="integer from 0"):
        _matrix_power(one, ex.const(power))
