"""Square roots modulo primes: what is squared comes back, for primes of every remainder."""

import pytest

from dalembert.loops.arithmetic import NoRoot, square_root_mod


@pytest.mark.parametrize("p", [3, 7, 13, 17, 41, 97, 193, 257, 12289, 65537])
def test_roots_are_found_or_do_not_exist(p: int) -> None:
    squares = {x * x % p for x in range(p)} if p < 1000 else {x * x % p for x in range(200)}
    for a in sorted(squares)[:60]:
        assert square_root_mod(a, p) ** 2 % p == a
    if p < 1000:
        for a in [a for a in range(p) if a not in squares][:20]:
            with pytest.raises(NoRoot):
                square_root_mod(a, p)
    assert square_root_mod(0, p) == 0
