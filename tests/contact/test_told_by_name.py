"""Forces of contacts by name wherever a motion is asked: outputs, formulas, tables, archives, sweeps."""

import json
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanism.contact import ContactWarning
from dalembert.simulate import Event

ARM = """
let arm = body mass = M, iframe = [0.5, 0, 0], inertia = [0.01, 0.1, 0.1] end ;
join earth and arm.frame with link(th) dof = th || [0, 1, 0] end as elbow ;
gravity [0, 0, -9.81] ;
let tip = [1, 0, 0] @ arm ;
contact tip.Z + 0.5 >= 0 restitution 0.4 as floor ;
given M = 2 ;
start elbow.th = 0.2 ;
output twice = 2*floor.force ;
"""


@pytest.fixture(scope="module")
def arm():
    return da.loads(ARM)


@pytest.mark.parametrize("method", ["auto", "moreau"])
def test_outputs_and_formulas_are_made_of_contact_forces(arm, method, tmp_path):
    mo = arm.simulate((0, 2), method=method)
    force = mo["floor.force"]
    assert force[-1] == pytest.approx(9.81, rel=1e-9)  # half of the weight: the centre is half way to the tip
    np.testing.assert_allclose(mo["twice"], 2 * force)
    np.testing.assert_allclose(mo["twice - floor.force*elbow.th"], 2 * force - force * mo["elbow.th"])
    mo.save(tmp_path / "arm.npz")
    np.testing.assert_allclose(type(mo).load(tmp_path / "arm.npz")["twice"], 2 * force)
    mo.to_csv(tmp_path / "arm.csv")
    table = np.genfromtxt(tmp_path / "arm.csv", delimiter=",", names=True)
    np.testing.assert_allclose(table["twice"], 2 * force)
    again = da.loads(arm.to_lsd()).simulate((0, 2), method=method)
    np.testing.assert_allclose(again["twice"], 2 * force)


def test_a_sweep_measures_motions_with_their_contacts(arm):
    told = [
        "max(floor.force)",
        "final(twice)",
        "mean(floor.force)",
        "final(elbow.th'')",
        "min(elbow.th')",
        "rms(elbow.th')",
    ]
    masses = np.array([1.0, 2.0, 5.0])
    swept = arm.sweep((0, 2), {"M": masses}, told, keep="floor.force")
    for k, mass in enumerate(masses):
        mo = arm.simulate((0, 2), given={"M": mass})
        weight = mass * 9.81 / 2
        assert swept[told[0]][k] == pytest.approx(weight, rel=1e-9)
        assert swept[told[1]][k] == pytest.approx(2 * weight, rel=1e-9)
        # momentum: what the floor has pushed since the last impact is the weight for that long
        rest = 2 - next(phase.begin for phase in mo.contacts.phases if phase.end == 2 and phase.state != "open")
        assert swept[told[2]][k] == pytest.approx(weight * rest / 2, rel=1e-6)
        assert abs(swept[told[3]][k]) < 1e-9  # without the floor it would fall
        fine = np.concatenate([arc.sol(np.linspace(*arc.span, 2001))[1] for arc in mo.arcs])
        assert swept[told[4]][k] == pytest.approx(fine.min(), rel=1e-6)
        area = sum(np.trapezoid(arc.sol(s)[1] ** 2, s) for arc in mo.arcs for s in [np.linspace(*arc.span, 2001)])
        assert swept[told[5]][k] == pytest.approx(np.sqrt(area / 2), rel=1e-5)
        assert swept["floor.force (t)"][k, -1] == pytest.approx(weight, rel=1e-9)


def test_what_contacts_do_is_no_formula_and_the_sentence_says_what_to_watch(arm):
    for ask in (
        lambda: arm.simulate((0, 1), events=Event("floor.impact", terminal=True)),
        lambda: arm.sweep((0, 1), {"M": [1.0]}, "final(t)", events="floor.impact"),
    ):
        with pytest.raises(da.SimulationError, match=r"watch 'floor\.gap'"):
            ask()
    swept = arm.sweep((0, 1), {"M": [1.0, 2.0]}, "final(t)", events="floor.gap")
    first = arm.simulate((0, 1)).events["floor.impact"][0]
    assert swept["final(t)"][1] == pytest.approx(first, rel=1e-9)


def rewritten(path, change):
    """The archive with what it says about itself changed."""
    with np.load(path) as stored:
        arrays = dict(stored)
    about = json.loads(str(arrays["about"]))
    change(about)
    np.savez(path, **{**arrays, "about": np.array(json.dumps(about))})


def one_size_for_all_gaps(about):
    about["format"] = "dalembert-motion-3"
    del about["version"]
    for one in filter(None, about["closed"]):
        one["size"], one["fastest"] = max(one.pop("sizes")), [1.0, 1.0, 1.0]
        del one["paced"]


def test_archives_of_other_formats_are_read_or_refused_with_their_version(arm, tmp_path):
    mo, path = arm.simulate((0, 2)), tmp_path / "arm.npz"
    for change, told in (
        (lambda about: about.update(format="dalembert-motion-3"), ""),
        (one_size_for_all_gaps, r"format 3, saved by an earlier dalembert, .*sizes.* simulate again"),
        (
            lambda about: about.update(format="dalembert-motion-99", version="7.1"),
            r"format 99, saved by dalembert 7",
        ),
        (lambda about: about["system"]["fields"].update(colour=1), "not as this one"),
        (lambda about: about.update(format="photograph"), "is not a motion"),
    ):
        mo.save(path)
        rewritten(path, change)
        if not told:
            np.testing.assert_array_equal(type(mo).load(path)["floor.force"], mo["floor.force"])
            continue
        with pytest.raises(da.SimulationError, match=told):
            type(mo).load(path)


def test_verify_says_once_that_contacts_are_open_and_a_mobility_says_it_in_its_verdict(arm):
    with pytest.warns(ContactWarning) as said:
        arm.verify(languages=[])
    assert sum(issubclass(one.category, ContactWarning) for one in said) == 1
    with pytest.warns(ContactWarning):
        found = arm.mobility()
    assert found.contacts == ("floor",)
    assert "(proved, with the contacts floor open)" in str(found)
    assert "contacts a, b, c, d, e, f and 37 more open" in str(replace(found, contacts=(*"abcdef", *("box",) * 37)))
