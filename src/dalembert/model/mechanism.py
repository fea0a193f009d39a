"""The mechanism with its verbs: equations, analysis, compiled code and motion from one description."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from dalembert.errors import ArgumentError
from dalembert.expr import Scalar
from dalembert.mechanism import Layout
from dalembert.model.exported import Exported
from dalembert.verbs import Later, verb

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dalembert.analysis import Linearization
    from dalembert.analysis.compare import Comparison
    from dalembert.analysis.equilibria import equilibria as _equilibria
    from dalembert.analytic import System
    from dalembert.codegen import CompiledMechanism, CompiledMinimal
    from dalembert.formalisms import Equations, Hamiltonian, Lagrangian
    from dalembert.formalisms.minimal import MinimalEquations
    from dalembert.formalisms.quasi import QuasiEquations
    from dalembert.geometry import Geometry
    from dalembert.loops.mobility import mobility as _mobility
    from dalembert.simulate import Method
    from dalembert.verify import Verdict
    from dalembert.view import Motion
else:
    _equilibria, _mobility = Later("dalembert.analysis", "equilibria"), Later("dalembert.loops", "mobility")


class Mechanism(Exported):
    """A mechanical system: describe it with `body`, `join`, `force`..., then ask.

    >>> import dalembert as da
    >>> m = da.Mechanism("pendulum")
    >>> rod = m.body("rod", mass="m", centre=[0, 0, "-l"])
    >>> pivot = m.join(da.earth, rod, da.revolute("x"), name="pivot")
    >>> m.gravity = [0, 0, "-g"]
    >>> m.equations("recursive").mass_matrix
    Matrix([[l*m*l]])
    """

    def layout(self, cut: Collection[str] = ()) -> Layout:
        """Numbering of bodies and links; the links named in `cut` close loops instead of carrying the tree."""
        return Layout.of(self, cut)

    @verb
    def equations(
        self,
        formalism: str = "mixed",
        *,
        cut: Collection[str] = (),
        reference: str | None = None,
        chart: str | None = None,
        speeds: Mapping[str, Scalar | str] | str | None = None,
        parametrisation: str = "relative",
        potential: str | None = None,
        independent: Sequence[str] | str | None = None,
        at: Mapping[str, Any] | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> Equations | MinimalEquations | QuasiEquations:
        """Equations of motion in a formalism: mixed, newton-euler, dalembert, lagrange, hamilton, kane...

        Closed loops bring their multipliers and rows: M u' = S + F + D^T Lambda, D u' = gamma. `cut` names links that
        close loops, `reference` the body from which the motion is seen, `chart` the coordinates of free rotations,
        `speeds` other generalised speeds, `parametrisation` "relative", "absolute" (bodies released, links as rows) or
        "planar" (the same in the plane of the motion, three coordinates a body),
        `potential` what lagrange and hamilton put into V. `independent` names the coordinates of minimal equations
        M P'' = S + F without multipliers ("automatic" chooses them), on the branch of the posture `at`; the branch
        needs numbers of the lengths, `given` over those of the model. With conditions on speeds `independent` names
        quasi-velocities, and all coordinates stay.
        """
        from dalembert.formalisms import derive

        found = derive(
            self.layout(cut),
            formalism,
            reference=reference,
            chart=chart,
            speeds=speeds,
            parametrisation=parametrisation,
            potential=potential,
        )
        if independent is None:
            return found
        from dalembert.loops.minimal import minimal_equations

        return minimal_equations(found, independent, at=at, given=given)

    @verb
    def linearize(
        self,
        at: Mapping[str, Scalar] | None = None,
        *,
        given: Mapping[str, Any] | None = None,
        inputs: Sequence[str] = (),
        independent: Sequence[str] = (),
        t: float | None = None,
        cut: Collection[str] = (),
        symbols: bool = False,
    ) -> Linearization:
        """Exact linear equations about an equilibrium, a steady motion or a trajectory; `inputs` are columns of B.

        Trees stay in symbols; machines with closed loops are linearised in numbers, in independent coordinates, or
        with `symbols` in symbols, where the other coordinates are formulas of these.
        """
        from dalembert.analysis import linearize

        if symbols:
            eq = self.equations("kane", independent=independent or "automatic", given=given, cut=cut)
            return linearize(eq, at, given=given, inputs=inputs, t=t)
        return linearize(self, at, given=given, inputs=inputs, independent=independent, t=t, cut=cut)

    equilibria = _equilibria
    mobility = _mobility

    @verb
    def geometry(
        self, driven: Mapping[str, str] | None = None, *, chart: str | None = None, cut: Collection[str] = ()
    ) -> Geometry:
        """Phase space without driven momenta, connection and curvature, and the dynamical field in its parts.

        A row that pushes one coordinate alone drives it; `driven` says otherwise, {constraint: coordinate}, others are
        kept as conditions. `chart` are other coordinates of free rotations.
        """
        from dalembert.geometry import geometry_of

        return geometry_of(self, driven, chart=chart, cut=cut)

    @verb
    def compare(
        self,
        formalisms: Sequence[str] | None = None,
        *,
        states: int = 5,
        seed: int = 0,
        memory: bool = False,
        cut: Collection[str] = (),
    ) -> Comparison:
        """Every formalism side by side: size and cost of its equations, and how far their accelerations differ."""
        from dalembert.analysis.compare import compare

        return compare(self.layout(cut), formalisms, states=states, seed=seed, memory=memory)

    @verb
    def verify(
        self,
        *,
        span: tuple[float, float] = (0.0, 1.0),
        start: Mapping[str, Any] | None = None,
        given: Mapping[str, Any] | None = None,
        seed: int = 0,
        languages: Collection[str] | None = None,
        cut: Collection[str] = (),
    ) -> Verdict:
        """Check this model by every independent road: formalisms, exact arithmetic, back ends, laws of its motion.

        The verdict tells what agrees, what does not, and what could not be checked; `span` is the motion it
        judges, `languages` are those whose source is compiled and run, all that can be if None.
        """
        from dalembert.verify import verify

        return verify(self, span=span, start=start, given=given, seed=seed, languages=languages, cut=cut)

    @verb
    def analytic(self) -> System:
        """The machine as a `System` of analytical mechanics: every mechanics as a view, checks, steps, symmetries.

        Loops and ideal constraints come along, with their multipliers.
        """
        from dalembert.analytic import System

        return System.from_mechanism(self)

    def lagrangian(self) -> Lagrangian:
        """L = T - V, and the efforts that derive from no potential."""
        from dalembert.formalisms import lagrangian

        return lagrangian(self.layout())

    def hamiltonian(self) -> Hamiltonian:
        """H(q, p) with its canonical equations."""
        from dalembert.formalisms import hamiltonian

        return hamiltonian(self.layout())

    @overload
    def compile(self, *, cut: Collection[str] = ()) -> CompiledMechanism: ...

    @overload
    def compile(
        self,
        *,
        cut: Collection[str] = (),
        independent: Sequence[str] | str,
        at: Mapping[str, Any] | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> CompiledMechanism | CompiledMinimal: ...

    @verb
    def compile(
        self,
        *,
        cut: Collection[str] = (),
        independent: Sequence[str] | str | None = None,
        at: Mapping[str, Any] | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> CompiledMechanism | CompiledMinimal:
        """Native functions: `f.acceleration(q, u, t=0, **parameters)`, with an optional leading batch axis.

        With `independent` coordinates of a closed machine, as in `equations`, those of its minimal equations on the
        branch of the posture `at` with the lengths `given`: `f.acceleration(p, v, t=0, **parameters)`.
        """
        from dalembert.codegen import compile_mechanism, compile_minimal

        if independent is None:
            if at is not None or given is not None:
                raise ArgumentError(
                    "`at` and `given` of `compile` choose the branch of independent coordinates, and none are named. "
                    "Give numbers to the functions, or name `independent` coordinates."
                )
            return compile_mechanism(self, self.layout(cut))
        return compile_minimal(self, self.equations("recursive", cut=cut, independent=independent, at=at, given=given))

    @verb
    def simulate(
        self,
        t_span: tuple[float, float],
        *,
        start: Mapping[str, Any] | None = None,
        given: Mapping[str, Any] | None = None,
        events: Any = None,
        method: str | Method = "auto",
        t_eval: ArrayLike | None = None,
        rtol: ArrayLike = 1e-8,
        atol: ArrayLike | None = None,
        max_step: float = math.inf,
        first_step: float | None = None,
        dense_output: bool | None = None,
        progress: bool | None = None,
        impacts: str = "auto",
        errors: bool = False,
        cut: Collection[str] = (),
    ) -> Motion:
        """The motion from `start` with the parameters `given`; options and result have SciPy's names.

        `events`: formulas, or `da.Event`s, which may change the motion. `atol` None is 1e-10 of a radian, or of the
        size of the machine. `cut` names links that close loops. With `errors` the motion is made a second time at a
        hundredth of the tolerance, and `mo.error` tells how far they are apart. See `dalembert.simulate.run`.
        """
        from dalembert.simulate import simulate
        from dalembert.view import Motion

        return simulate(
            self,
            t_span,
            start=start,
            given=given,
            events=events,
            method=method,
            t_eval=t_eval,
            rtol=rtol,
            atol=atol,
            max_step=max_step,
            first_step=first_step,
            dense_output=dense_output,
            progress=progress,
            impacts=impacts,
            errors=errors,
            cut=cut,
            kind=Motion,
        )

    @verb
    def report(
        self,
        path: str | os.PathLike[str],
        *,
        formalisms: Sequence[str] = ("kane",),
        levels: Sequence[str] = ("vector", "scalar"),
        until: float = 10.0,
        start: Mapping[str, Any] | None = None,
        given: Mapping[str, Any] | None = None,
        cut: Collection[str] = (),
        source: str | None = None,
        seconds: float = 60.0,
        progress: bool = False,
    ) -> list[Path]:
        """Everything about the machine in one document, .html, .pdf or .tex; the files written.

        `source` is the program to show instead of the printed description. Each section may take `seconds`; what does
        not apply or cannot be computed is said in a sentence.
        """
        from dalembert.view.report import Study, check_report_name, make_report, write_report

        check_report_name(Path(path))
        study = Study(self, source, tuple(formalisms), tuple(levels), until, start or {}, given or {}, tuple(cut))
        return write_report(make_report(study, seconds=seconds, progress=progress), path)
