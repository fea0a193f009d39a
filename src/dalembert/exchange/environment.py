"""A machine as an environment of gymnasium: actions are its inputs, observations its states or outputs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from dalembert.codegen import CompiledMechanism
from dalembert.errors import ArgumentError, ModelError
from dalembert.mechanism import Layout, Mechanism, did_you_mean

Told = Mapping[str, float]
#: Steps of an integration may differ by this share from two of half the length; as a radian, or the machine's size.
_TOLERANCE = 1e-7
_MOST_HALVINGS = 12


def environment(
    mechanism: Mechanism,
    actions: Mapping[str, tuple[float, float]],
    *,
    step: float,
    reward: Callable[[Told], float],
    observe: Sequence[str] | None = None,
    terminated: Callable[[Told], bool] | None = None,
    steps: int | None = None,
    start: Mapping[str, Any] | None = None,
    spread: Mapping[str, float] | None = None,
    given: Mapping[str, Any] | None = None,
    cut: Collection[str] = (),
) -> Any:
    """A `gymnasium.Env`; see `Mechanism.environment`."""
    try:
        import gymnasium
    except ImportError:
        raise ArgumentError("gymnasium is not installed: `pip install gymnasium`.") from None
    plant = Plant(mechanism, tuple(actions), observe, start, given, cut)
    if not 0 < step < float("inf"):
        raise ArgumentError(f"`step` is a time in seconds, not {step}.")
    low, high = (np.array([float(pair[k]) for pair in actions.values()]) for k in (0, 1))
    if not (low < high).all():
        raise ArgumentError("each action has a lower and a higher bound: {'motor': (-1, 1)}.")
    for name in spread or {}:
        plant.check_state(name)

    class MechanismEnv(gymnasium.Env):  # type: ignore[misc, name-defined]
        """The machine in steps of constant inputs."""

        metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012

        def __init__(self) -> None:
            self.action_space = gymnasium.spaces.Box(low, high, dtype=np.float64)
            wide = np.full(len(plant.observed), np.inf)
            self.observation_space = gymnasium.spaces.Box(-wide, wide, dtype=np.float64)
            self.mechanism, self.count, self.t = mechanism, 0, 0.0
            self.state = plant.start()

        def reset(
            self, *, seed: int | None = None, options: dict[str, Any] | None = None
        ) -> tuple[Any, dict[str, Any]]:
            """The start, moved at random by `spread`; `options={"start": {...}}` takes another."""
            super().reset(seed=seed)
            moved = {name: size * self.np_random.uniform(-1, 1) for name, size in (spread or {}).items()}
            self.state = plant.start((options or {}).get("start"), moved)
            self.count, self.t = 0, 0.0
            return plant.observation(self.state, self.t, np.zeros(len(low))), {}

        def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
            inputs = np.clip(np.asarray(action, dtype=float), low, high)
            self.state = plant.advance(self.state, self.t, step, inputs)
            self.count, self.t = self.count + 1, self.t + step
            seen = plant.observation(self.state, self.t, inputs)
            told = {**plant.told(self.state, self.t), **dict(zip(actions, inputs.tolist(), strict=True))}
            told |= dict(zip(plant.observed, seen.tolist(), strict=True))
            ended = bool(terminated(told)) if terminated is not None else False
            return seen, float(reward(told)), ended, steps is not None and self.count >= steps, {}

    return MechanismEnv()


class Plant:
    """States in, states out: the compiled machine with inputs that are constant over a step."""

    def __init__(
        self,
        mechanism: Mechanism,
        inputs: tuple[str, ...],
        observe: Sequence[str] | None,
        start: Mapping[str, Any] | None,
        given: Mapping[str, Any] | None,
        cut: Collection[str],
    ) -> None:
        self.mechanism, self.begin, self.given, self.cut = mechanism, dict(start or {}), dict(given or {}), tuple(cut)
        self.f = CompiledMechanism(mechanism, Layout.of(mechanism, cut), start, given)
        f = self.f
        self.names = (*f.coordinates, *f.speeds)
        self.observed = tuple(self.names if observe is None else observe)
        known = [*self.names, *f.dynamics.outputs]
        wrong = [x for x in self.observed if x not in self.names and x not in f.dynamics.outputs]
        if wrong:
            raise ModelError(f"nothing is called '{wrong[0]}' to observe.{did_you_mean(wrong[0], known)}")
        efforts = {x.removesuffix("'"): k for k, x in enumerate(f.speeds)} | {x: k for k, x in enumerate(f.speeds)}
        wrong = [x for x in inputs if x not in f.parameters and x not in efforts]
        if wrong:
            hint = did_you_mean(wrong[0], [*f.parameters, *efforts])
            raise ModelError(f"an action is a parameter or an effort on a coordinate, not '{wrong[0]}'.{hint}")
        self.inputs, self.efforts = inputs, {x: efforts[x] for x in inputs if x not in f.parameters}
        if self.efforts and mechanism.contacts:
            raise ModelError(
                f"'{mechanism.name}' has contacts: its actions are parameters of its efforts, which `simulate` knows. "
                f"Give '{next(iter(self.efforts))}' an effort with a parameter: `with_efforts(th='u')`, or read a "
                "robot file without stops and dry friction: `limits=False`, `friction=False`."
            )
        self.units = np.array(f.units(dict.fromkeys(self.names, 0.0), {**f.held, **f.given, **self.given}))

    def check_state(self, name: str) -> None:
        if name not in self.names:
            raise ModelError(f"'{name}' is no state.{did_you_mean(name, self.names)}")

    def start(self, begin: Mapping[str, Any] | None = None, moved: Mapping[str, float] | None = None) -> Any:
        asked = {**self.begin, **(begin or {})}
        if moved:
            usual = dict(zip(self.names, self.f.start(asked, self.given).y, strict=True))
            asked |= {name: usual[name] + shift for name, shift in moved.items()}
        return np.array(self.f.start(asked, self.given).y, dtype=float)

    def told(self, y: Any, t: float) -> dict[str, float]:
        return {"t": t, **dict(zip(self.names, y.tolist(), strict=True))}

    def observation(self, y: Any, t: float, inputs: Any) -> Any:
        n, numbers = len(self.f.coordinates), self._numbers(inputs)
        place = {name: k for k, name in enumerate(self.names)}
        return np.array(
            [y[place[x]] if x in place else self.f.output(x, y[:n], y[n:], t, given=numbers) for x in self.observed],
            dtype=float,
        )

    def _numbers(self, inputs: Any) -> dict[str, Any]:
        own = {x: float(v) for x, v in zip(self.inputs, inputs, strict=True) if x not in self.efforts}
        return {**self.given, **own}

    def advance(self, y: Any, t: float, h: float, inputs: Any) -> Any:
        """The state after a step: by `simulate` where contacts may close, else by halved steps until they agree."""
        if self.mechanism.contacts:
            return self._simulated(y, t, h, inputs)
        count = 1
        rough = self._stepped(y, t, h, inputs, count)
        for _ in range(_MOST_HALVINGS):
            count *= 2
            fine = self._stepped(y, t, h, inputs, count)
            if np.isfinite(fine).all() and (np.abs(fine - rough) <= _TOLERANCE * (self.units + np.abs(fine))).all():
                return fine
            rough = fine
        raise ModelError(f"the motion cannot be followed over a step of {h:g} s at t = {t:g}: choose a shorter step.")

    def _stepped(self, y: Any, t: float, h: float, inputs: Any, count: int) -> Any:
        """Runge and Kutta's fourth order; loops are closed and quaternions are of length one after every step."""
        f, n, numbers = self.f, len(self.f.coordinates), self._numbers(inputs)
        efforts = np.zeros(len(f.speeds)) if self.efforts else None
        for name, k in self.efforts.items():
            assert efforts is not None
            efforts[k] = inputs[self.inputs.index(name)]

        def slope(x: Any, time: float) -> Any:
            q, u = x[:n], x[n:]
            return np.concatenate(
                [f.rates(q, u, time, given=numbers), f.acceleration(q, u, time, efforts, given=numbers)]
            )

        dt = h / count
        for k in range(count):
            now = t + k * dt
            a = slope(y, now)
            b = slope(y + dt / 2 * a, now + dt / 2)
            c = slope(y + dt / 2 * b, now + dt / 2)
            d = slope(y + dt * c, now + dt)
            y = y + dt / 6 * (a + 2 * b + 2 * c + d)
            for group in f.dynamics.state.quaternions:
                at = [f.coordinates.index(x) for x in group]
                y[at] /= np.linalg.norm(y[at])
            if f.dynamics.closed:
                y = np.array(f.corrected(y, now + dt, given=numbers))
        return y

    def _simulated(self, y: Any, t: float, h: float, inputs: Any) -> Any:
        from dalembert.simulate import simulate

        begin = dict(zip(self.names, y.tolist(), strict=True))
        mo: Any = simulate(
            self.mechanism, (t, t + h), start=begin, given=self._numbers(inputs), cut=self.cut, progress=False
        )
        return np.array(mo.y[:, -1], dtype=float)
