"""What robotics asks of a compiled mechanism: momenta, weight, rates of Jacobians, inertia at a tool, derivatives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert.codegen.quantities import DERIVED, check_kind
from dalembert.errors import ArgumentError, SingularError

Array = Any
Given = Mapping[str, Any] | None
_DIRECTIONS = {"all": slice(0, 6), "angular": slice(0, 3), "linear": slice(3, 6)}
#: Reciprocal condition, of a matrix with ones on its diagonal, below which a direction is one that cannot be moved.
_SINGULAR = 1e-12


class RobotQuantities:
    """Verbs of `CompiledMechanism`; every array may have a leading batch axis."""

    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]

    def _run(
        self, key: tuple[str, ...], states: tuple[Array, ...], parameters: Mapping[str, Array], given: Given = None
    ) -> np.ndarray:
        raise NotImplementedError

    def gravity_compensation(
        self, q: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array
    ) -> np.ndarray:
        """Efforts on the speeds that carry the weight: what `inverse_dynamics` needs at rest if nothing else acts."""
        return -self._run(("weight",), (t, q), parameters, given)

    def jacobian_rate(
        self, name: str, q: Array, u: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array
    ) -> np.ndarray:
        """J' of `jacobian`: the acceleration of a frame is J u' + J' u."""
        return self._run(("jacobian_rate", name), (t, q, u), parameters, given)

    def centroidal_momentum(
        self, q: Array, u: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array
    ) -> np.ndarray:
        """Angular momentum about the centre of mass, then momentum, in the base of earth."""
        return self._run(("centroidal_momentum",), (t, q, u), parameters, given)

    def centroidal_matrix(self, q: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array) -> np.ndarray:
        """A of centroidal momentum = A u, six rows."""
        return self._run(("centroidal_matrix",), (t, q), parameters, given)

    def centroidal_rate(
        self, q: Array, u: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array
    ) -> np.ndarray:
        """A' of `centroidal_matrix`: the momentum changes by A u' + A' u."""
        return self._run(("centroidal_rate",), (t, q, u), parameters, given)

    def operational_mobility(
        self, name: str, q: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array
    ) -> np.ndarray:
        """J M^-1 J^T: what a unit moment or force on a frame accelerates; in a closed machine, as its loops allow."""
        return self._run(("operational_mobility", name), (t, q), parameters, given)

    def operational_inertia(
        self,
        name: str,
        q: Array,
        /,
        t: Array = 0.0,
        *,
        directions: str = "all",
        given: Given = None,
        **parameters: Array,
    ) -> np.ndarray:
        """The inertia that a frame shows (Khatib 1987): inverse of `operational_mobility` in the asked directions."""
        if directions not in _DIRECTIONS:
            raise ArgumentError(f"directions are {', '.join(_DIRECTIONS)}, not {directions!r}.")
        part = _DIRECTIONS[directions]
        mobility = np.asarray(self.operational_mobility(name, q, t, given=given, **parameters))[..., part, part]
        size = np.sqrt(np.maximum(np.diagonal(mobility, axis1=-2, axis2=-1), 0.0))
        scale = size[..., :, None] * size[..., None, :]  # ones on the diagonal: no unit has a say
        with np.errstate(divide="ignore", invalid="ignore"):
            even = np.where(scale > 0, mobility / scale, 0.0)
        if (np.linalg.svd(even, compute_uv=False)[..., -1] < _SINGULAR).any():
            raise SingularError(
                f"'{name}' cannot move in all directions that are asked for ({directions}) at this posture, so that it "
                "shows infinite inertia there. Ask for other directions ('linear', 'angular'), or for "
                "`operational_mobility`, which exists everywhere."
            )
        return np.linalg.inv(even) / scale

    def derivative(
        self,
        quantity: str,
        *states: Array,
        of: str | None = None,
        by: str = "coordinates",
        t: Array = 0.0,
        given: Given = None,
        **parameters: Array,
    ) -> np.ndarray:
        """Exact derivatives of a quantity by "coordinates", "speeds" or a parameter, on a last axis of their own.

        `states` are those that the quantity takes, `of` the frame of one that has a name:
        `f.derivative("jacobian", q, of="hand")`, `f.derivative("gravity_compensation", q)`.
        """
        if quantity == "operational_inertia":  # d(A^-1) = -A^-1 dA A^-1
            if of is None or len(states) != 1:
                raise ArgumentError("'operational_inertia' is that of a frame at a posture: `q`, and `of=`.")
            inertia = self.operational_inertia(of, states[0], t, given=given, **parameters)
            slope = self.derivative("operational_mobility", *states, of=of, by=by, t=t, given=given, **parameters)
            return -np.einsum("...ij,...jkc,...kl->...ilc", inertia, slope, inertia)
        sign = -1.0 if quantity == "gravity_compensation" else 1.0
        kind = "weight" if quantity == "gravity_compensation" else quantity
        check_kind(kind)
        if bool(DERIVED[kind]) != (of is not None):
            raise ArgumentError(f"'{quantity}' {'is that of a frame: say `of=`' if of is None else 'has no `of`'}.")
        if by not in ("coordinates", "speeds"):
            self._check_parameter(by)
        names = () if of is None else (of,)
        return sign * self._run(("slope", by, kind, *names), (t, *states), parameters, given)

    def _check_parameter(self, name: str) -> None:
        raise NotImplementedError
