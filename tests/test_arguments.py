"""Arguments of another kind than a public verb takes come back as a sentence, before anything is computed."""

from inspect import signature

import numpy as np
import pytest

import dalembert as da

NAMES = {"start", "given", "at", "t_eval", "rtol", "atol", "max_step", "times", "t"}
#: Places are asked of the machine, arrays of numbers along a motion are its own.
OTHER = {"Body | Frame", "Array"}


def pendulum():
    m = da.Mechanism("pendulum")
    m.join(da.earth, m.body("rod", mass=1, centre=[0, 0, -1]), da.revolute("x"), name="pivot")
    m.gravity = [0, 0, -9.81]
    return m


def asked(kind):
    """Every verb of a class with each of these arguments."""
    verbs = {name: getattr(kind, name) for name in dir(kind) if not name.startswith("_")}
    return [
        (verb, one.name, one.annotation.startswith("Mapping"))
        for verb, function in verbs.items()
        if callable(function)
        for one in signature(function).parameters.values()
        if one.name in NAMES and one.annotation not in OTHER
    ]


@pytest.fixture(scope="module")
def motion():
    return pendulum().simulate((0, 0.1))


def refuses(owner, verb, name, named):
    for wrong in ["x", "pivot.th=1", ["x"], object(), {3: 1}, *([[1, 0], 3, np.ones(2)] if named else [{"x": 1}])]:
        with pytest.raises(da.ArgumentError, match=f"`{verb}` takes a .* as `{name}`, and .* is none: write {name}="):
            getattr(owner, verb)(**{name: wrong})


@pytest.mark.parametrize(("verb", "name", "named"), asked(da.Mechanism))
def test_verbs_of_a_machine_refuse_arguments_of_another_kind(verb, name, named):
    refuses(pendulum(), verb, name, named)


@pytest.mark.parametrize(("verb", "name", "named"), asked(da.Motion))
def test_verbs_of_a_motion_refuse_arguments_of_another_kind(motion, verb, name, named):
    refuses(motion, verb, name, named)


def test_arguments_in_their_places_are_asked_too(motion):
    for wrong in (lambda: pendulum().linearize("x"), lambda: pendulum().reactions([0]), lambda: motion.at("x")):
        with pytest.raises(da.ArgumentError, match="is none: write"):
            wrong()


@pytest.mark.parametrize("wrong", ["x", 3, None, [1, 0]])
def test_what_is_to_stand_somewhere_asks_for_a_place(wrong):
    m, leg = pendulum(), pendulum()
    for verb in (lambda: m.force(wrong, [1, 0, 0]), lambda: m.shape(wrong, "box", 1, 1, 1)):
        with pytest.raises(da.ModelError, match="neither a body nor a frame"):
            verb()
    with pytest.raises(da.ModelError, match=r"the part 'leg' is to stand on .* neither a body nor a frame"):
        m.include(leg, "leg", wrong)
    with pytest.raises(da.ModelError, match="a part is a machine"):
        m.include(wrong, "leg")


@pytest.mark.parametrize("name", ["given", "start"])
@pytest.mark.parametrize("wrong", ["x", [1, 0], 3, None, {3: 1}])
def test_numbers_of_a_machine_have_names(name, wrong):
    with pytest.raises(da.ArgumentError, match=f"`{name}` of 'pendulum' is a dictionary .*write m.{name} = "):
        setattr(pendulum(), name, wrong)


@pytest.mark.parametrize("wrong", [3, None, ("pivot.th", 1), ["pivot.th"]])
def test_a_motion_is_asked_by_names(motion, wrong):
    with pytest.raises(da.ArgumentError, match=r"by name, and .* write mo\[\"pivot.th\"\]"):
        motion[wrong]


def test_what_is_nearly_a_number_or_a_dictionary_is_taken(motion):
    m = pendulum()
    found = m.simulate(
        (0, 0.1), start=motion.state(0.0), rtol=np.float32(1e-6), t_eval=range(0, 1), max_step=np.array(0.05)
    )
    assert found.success
