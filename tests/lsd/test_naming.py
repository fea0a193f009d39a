"""The naming mechanism (spec 2; cases N1-N8)."""

import json

import pytest

from dalembert import lsd
from dalembert.errors import LsdError
from dalembert.mechanism import Layout
from lsd.mutations import GALLERY
from lsd.satellite import SATELLITE
from random_mechanisms import random_tree


@pytest.fixture(scope="module")
def satellite():
    return lsd.names(lsd.loads(SATELLITE))


def lines(table):
    return {str(e) for e in (*table.declared, *table.deduced)}


def test_numbers_of_the_satellite(satellite):
    named = [b.name for b in satellite.indices.bodies]
    assert named == ["earth", "satellite", "bras_primaire", "bras_secondaire", "reflecteur"]
    assert str(satellite).splitlines()[1] == "> N := 4 ;"
    links = [(link.number, link.bodies, len(link.coordinates), link.principal) for link in satellite.indices.links]
    assert links == [(1, (0, 1), 6, True), (2, (1, 2), 1, True), (3, (2, 3), 1, True), (4, (3, 4), 1, True)]
    assert sum(len(link.coordinates) for link in satellite.indices.links) == 9


def test_declared_assignments_printed_in_the_thesis(satellite):
    printed = ["V1T_1_15 := 0", "M1R_1_15 := Id", "mu_2 := 0", "mu_3 := 0", "MIg_2 := 0", "MIg_3 := 0"]
    printed += ["V4T_4_45 := [0,0,v4T_4_45_z]", "MIg_4 := 0"]
    assert set(printed) <= lines(satellite)


def test_declared_assignments_that_complete_the_listing(satellite):
    needed = [
        "M4R_4_45 := Id",
        "V1T_1_12 := [0,0,v1T_1_12_z]",
        "M1R_1_12 := Id",
        "V01T_01_10 := [x1[1](t),x1[2](t),x1[3](t)]",
        "M01R_01_10 := Rz(x1[4](t)) Rx(x1[5](t)) Rz(x1[6](t))",
        "V12T_12_21 := 0",
        "M12R_12_21 := Rx(x2[1](t))",
        "V23T_23_32 := [0,x3[1](t),0]",
        "M23R_23_32 := Id",
        "V34T_34_43 := 0",
        "M34R_34_43 := Ry(x4[1](t))",
        "V12CL_21 := [vCL_21_x(x2[1](t), diff(x2[1](t),t)),0,0]",
        "V23FL_32 := [0,vFL_32_y(x3[1](t), diff(x3[1](t),t)),0]",
        "V34CL_43 := [0,vCL_43_y(x4[1](t), diff(x4[1](t),t)),0]",
        "VFE_15 := [vFE_15_x,vFE_15_y,vFE_15_z]",
        "V1FE_45 := [v1FE_45_x,v1FE_45_y,v1FE_45_z]",
    ]
    assert set(needed) <= lines(satellite)
    frames = {"01": 0, "10": 1, "21": 2, "23": 2, "32": 3, "34": 3, "43": 4}
    for pair, body in frames.items():
        assert f"V{body}T_{body}_{pair} := 0" in lines(satellite)
        assert f"M{body}R_{body}_{pair} := Id" in lines(satellite)


def test_deduced_assignments_and_equations(satellite):
    expected = [
        "V0T_1_15 := 0",
        *(f"{v} := 0" for v in ("M0Io_2", "M0Io_3", "M0Ig_2", "M0Ig_3", "M0Ig_4", "MIo_2", "MIo_3")),
        "M0Io_1 = M0Ig_1",
        "V0T_4_45 = M0R_0_4 &* V4T_4_45",
        "M0Io_4 = &s(-mu_4,&~(V0T_4_45) &* &~(V0T_4_45))",
        "M0Ig_1 = M0R_0_1 &* MIg_1 &* &t(M0R_0_1)",
        "M0R_0_2 = M0R_0_1 &* M12R_12_21",
        "M0R_0_3 = M0R_0_2",
        "M0R_0_4 = M0R_0_3 &* M34R_34_43",
        "V0FE_45 = M0R_0_1 &* V1FE_45",
        "MMassMax_2 := 0",
        "MMassMax_3 := 0",
    ]
    assert set(expected) <= lines(satellite)


def test_generic_variables_have_no_assignment(satellite):
    for name in ("mu_1", "mu_4", "MIg_1", "V2T_2_25", "M3R_3_35"):
        assert name not in satellite
    generic = {str(e) for e in satellite.generic}
    assert "MIg_1 := diag(mIg_1_x,mIg_1_y,mIg_1_z)" in generic
    assert "V2T_2_25 := [v2T_2_25_x,v2T_2_25_y,v2T_2_25_z]" in generic


def test_breadth_first_numbers_and_complementary_links():
    m = lsd.loads(
        """let a = body mass = 1 end ; let b = body mass = 1 end ; let c = body mass = 1 end ;
        let l() = link(x) dof = [x,0,0] end ;
        join earth and a.frame with l() ; join earth and b.frame with l() ;
        join a.frame and c.frame with l() ; join b.frame and c.frame with l() as closing ;"""
    )
    table = lsd.names(m)
    assert [b.name for b in table.indices.bodies] == ["earth", "a", "b", "c"]
    found = [(link.number, link.bodies, link.principal) for link in table.indices.links]
    assert found == [(1, (0, 1), True), (2, (0, 2), True), (3, (1, 3), True), (4, (2, 3), False)]
    # n = 3: inertia frames have index 4, so the frames of complementary link 4 have index 5.
    closing = table.indices.links[3]
    assert (closing.first, closing.second) == ("25", "35")
    assert "V2T_2_25 := 0" in lines(table)


def test_a_body_that_does_not_reach_earth_is_an_error():
    with pytest.raises(LsdError, match="not connected to earth"):
        lsd.loads("let a = body end ; let b = body end ; join a.frame and b.frame with link end ;")


@pytest.mark.parametrize("seed", range(8))
def test_numbers_agree_with_the_layout_of_the_equations(seed):
    m = random_tree(seed)
    layout, table = Layout.of(m), lsd.names(m)
    assert [b.name for b in layout.bodies] == [b.name for b in table.indices.bodies]
    tree = [link.name for link in table.indices.links if link.principal]
    assert tree == [one.link.name for one in layout.tree]


def test_index_pairs_are_separated_once_any_has_two_digits():
    bodies = "".join(f"let b{k} = body mass = 1 end ;" for k in range(9))
    joins = "join earth and b0.frame with link end ;" + "".join(
        f"join b{k}.frame and b{k + 1}.frame with link end ;" for k in range(8)
    )
    table = lsd.names(lsd.loads(bodies + joins))
    assert "V1T_1_1c2" in table
    assert "V12T" not in str(table)


def test_unknowns_take_the_name_of_their_place():
    m = lsd.loads(
        """let a = body mass = 2*?s + ?s, iframe = ?v ++ ?s || [0,0,1], inertia = [?s, 1, ?s] end ;
        join [?s + 1, 0, ?s] @ earth and a.frame with link(x) dof = [x + ?s, 0, 0] end ;"""
    )
    names = set(m.parameters())
    assert {"mu_1_1", "mu_1_2", "v1T_1_12_x", "v1T_1_12_y", "v1T_1_12_z", "m1R_1_12_1"} <= names
    assert {"mIg_1_x", "mIg_1_z", "v0T_0_01_x_1", "v0T_0_01_z", "v01T_01_10_x_1"} <= names


def test_two_forces_on_one_frame_are_told_apart():
    m = lsd.loads(
        """let a = body mass = 1, iframe = 0 end ; join earth and a.frame with link end ;
        apply force body = a end on a.frame ; apply force body = a end on a.frame ; apply torque body = a end on a ;"""
    )
    table = lsd.names(m)
    assert {"VFE_1", "VFE_1_2", "VCE_1"} <= {e.name for e in table.declared}


def test_a_shared_force_is_one_vector_at_several_places():
    m = lsd.loads(
        """let a = body mass = 1, iframe = 0 end ; let b = body mass = 1, iframe = 0 end ; let f = force body = a end ;
        join earth and a.frame with link end ; join a.frame and b.frame with link end ;
        apply f on a.frame ; apply f on b.frame ;"""
    )
    assert m.efforts[0].value == m.efforts[1].value


def test_forces_at_other_frames_number_them_after_the_inertia_frame():
    m = lsd.loads(
        """let a = body mass = 1, iframe = 0 end ; join earth and a.frame with link end ;
        apply force value = [1,0,0], body = a end on [1,0,0] @ a ;
        apply force value = [1,0,0], body = earth end on [2,0,0] @ a ;"""
    )
    assert {"VFE_13", "V0FE_14"} <= {e.name for e in lsd.names(m).declared}


def test_a_link_declared_child_first_is_inverted_in_the_tree():
    m = lsd.loads(
        "let a = body mass = 1, iframe = 0 end ; join a.frame and earth with link(x) dof = x || [0,0,1] end ;"
    )
    table = lsd.names(m)
    assert str(table["M0R_0_1"]) == "M0R_0_1 = &t(M10R_10_01)"


def test_the_table_as_data_and_latex(satellite):
    data = json.loads(json.dumps(satellite.as_dict()))
    assert data["N"] == 4
    assert {"name": "mu_2", "operator": ":=", "value": "0"} in data["declared"]
    latex = satellite.latex()
    assert latex.startswith(r"\begin{align*}")
    assert latex.count("{") == latex.count("}")


def test_tables_of_random_mechanisms_hold_every_kind_of_joint():
    for seed in range(30):
        table = lsd.names(random_tree(seed))
        assert str(table)
        assert table.latex().count("{") == table.latex().count("}")


def test_unknowns_and_table_agree_on_the_frames_of_forces():
    m = lsd.loads(
        """let a = body mass = 1, iframe = [0,0,1], inertia = 0 end ; let b = body mass = 1, iframe = 0 end ;
        join earth and a.frame with link end ; join [1,0,0] @ a and b.frame with link end ;
        apply force body = a end on [0,0,1] @ a ; apply force body = a end on [1,0,0] @ a ;
        apply force body = a end on [2,0,0] @ a ; apply force body = b end on [2,0,0] @ a ;
        apply force body = a end on [3,0,0] @ a ; apply force body = a end on 1 || [0,0,1] @ a ;"""
    )
    for entry in lsd.names(m).declared:
        if "FE" in entry.name:
            assert entry.value.scalars[0].name == lsd.places.lowered(entry.name) + "_x"


def test_the_example_file_is_the_program_of_the_thesis(satellite):
    example = lsd.names(lsd.load(next(p for p in GALLERY if p.stem == "satellite")))
    assert lines(example) == lines(satellite)
