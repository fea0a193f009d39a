"""The dynamics of a machine are derived once, whoever asks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dalembert import expr as ex
from dalembert.constraints import rows
from dalembert.dynamics import dynamics, dynamics_of
from dalembert.mechanism import Constraint, Holonomic, Layout
from linkages import four_bar, slider_crank


@pytest.mark.parametrize("machine", [slider_crank, lambda: four_bar((0.21, 0.4, 0.35), 0.5)])
def test_one_motion_derives_tree_masses_and_rows_once(machine, monkeypatch):
    counts = {"build_tree": 0, "mass_matrix": 0, "collect": 0, "resolve": 0}

    def counted(name, make):
        def call(*given, **more):
            counts[name] += 1
            return make(*given, **more)

        return call

    for name in counts:
        monkeypatch.setattr(dynamics, name, counted(name, getattr(dynamics, name)))
    m = machine()
    dynamics._remembered.cache_clear()
    m.simulate((0, 0.1))
    m.given["unused"] = 1.0  # numbers are no part of the structure
    m.simulate((0, 0.2))
    m.compile().acceleration([0.1] * len(m.layout().state.coordinates), [0.0] * len(m.layout().speeds))
    assert set(counts.values()) == {1}


def test_constraints_beyond_cut_links_derive_no_tree_masses_or_closing_rows_again(monkeypatch):
    made = []
    for name in ("build_tree", "mass_matrix", "right_side"):
        make = getattr(dynamics, name)
        monkeypatch.setattr(dynamics, name, lambda x, make=make, name=name: (made.append(name), make(x))[1])
    monkeypatch.setattr(rows, "_close", lambda *x, make=rows._close: (made.append("_close"), make(*x))[1])
    dynamics._remembered.cache_clear()
    m = four_bar((0.21, 0.4, 0.35), 0.5)
    plain = dynamics_of(Layout.of(m))
    assert len(plain.rows) == 5
    law = Constraint("motor", Holonomic((ex.symbol("A.th") - ex.TIME,)))
    driven = dynamics_of(replace(Layout.of(m), further=(law,)))
    assert driven.mass_matrix is plain.mass_matrix
    assert driven.rows.names == (*plain.rows.names, "motor.lambda")
    assert len(plain.rows) == 5
    assert driven.right_side == plain.right_side
    alone = rows.rows_of(driven.tree, driven.layout.constraints)
    assert made.count("_close") == 2  # one more for `alone`
    assert driven.rows == alone
    assert [made.count(name) for name in ("build_tree", "mass_matrix", "right_side")] == [1, 1, 1]


def test_a_machine_is_compiled_with_the_cut_that_is_asked():
    m = four_bar((0.2, 0.4, 0.35), 0.5)
    assert m.compile(cut=["B"]).coordinates == ("A.th", "D.th", "C.th", "B.th")
    assert dynamics_of(Layout.of(m, ["B"])).rows.names == ("B.Mx", "B.My", "B.Fx", "B.Fy", "B.Fz")


def test_numbers_of_a_machine_are_its_own_though_its_equations_are_shared():
    first, second = four_bar((0.2, 0.4, 0.35), 0.5), four_bar((0.2, 0.4, 0.35), 0.5)
    first.start["A.th"], second.start["A.th"] = 1.0, 2.0
    one, other = dynamics_of(Layout.of(first)), dynamics_of(Layout.of(second))
    assert one.mass_matrix is other.mass_matrix
    assert (one.model.start["A.th"], other.model.start["A.th"]) == (1.0, 2.0)
    assert not one.tree.layout.model.start
