"""Types, literals, coercions, scoping (spec 1.6, 1.8; cases T1-T8)."""

import pytest

from dalembert import expr as ex
from dalembert import lsd
from dalembert.errors import LsdError
from dalembert.lsd.types import Type


def messages(text, **options):
    return [d.message for d in lsd.check(text, **options).diagnostics if d.severity == "error"]


def type_of(expression, before=""):
    checked = lsd.check(f"{before} let answer = {expression} ;")
    assert not checked.report.failed, [str(d) for d in checked.diagnostics]
    return checked.scope.find("answer").type


def fault(text, pattern, **options):
    with pytest.raises(LsdError, match=pattern):
        lsd.loads(text, **options)


def test_zero_reads_by_its_place():
    text = "let b = body iframe = 0, mass = 0, inertia = 0 end ; join earth and b.frame with link end ;"
    body = lsd.loads(text).bodies["b"]
    assert body.iframe.is_identity
    assert body.mass is ex.ZERO
    assert body.inertia.entries[:3] == (ex.ZERO,) * 3


def test_listing_messages():
    assert "wrong component: a body has no field masse" in messages("let b = body masse = 1 end ;")
    assert messages("let b = body mass = [1,0,0] end ;")[0].startswith("wrong component type")
    assert messages("let a = ?zz ;")[0].startswith("unknown unknown")
    assert messages("let r = [1,0,0] || 2 ;")[0].startswith("not a valid rotation")
    assert messages("let d = 1 ++ [0,0,1] ;")[0].startswith("not a valid displacement")
    assert messages("let f = [0,0,1] @ 3 ;")[0].startswith("not a valid frame")
    assert messages("let s = body end ; join s.frame and earth with force end ;")[0].startswith("invalid JOIN")
    assert messages("let s = body end ; apply s on s.frame ;")[0].startswith("invalid FORCE")
    assert messages("let a = 1 ; let b = a:x ;") == ["a is not a package"]
    assert messages("let s = body end ; let a = s.colour ;")[0].startswith("not a field")
    assert messages("let s = 1 ; let a = s.mass ;")[0].startswith("non valid selection")
    assert messages("join earth and nobody.frame with link end ;") == ["unbound variable nobody"]
    assert messages("let b = body mass = 1, mass = 2 end ;")[0].startswith("wrong component")


def test_the_right_sides_of_one_let_see_what_came_before():
    checked = lsd.check("let a = 1 and b = a ;")
    assert checked.context.free["a"][0] is Type.SCALAR
    assert "a" not in lsd.check("let a = 1 ; let b = a ;").context.free
    assert messages("let a = 1 and a = 2 ;") == ["a is defined twice in one `let`"]


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("1 + 2*x", "scalar"),
        ("[1,2,3] + 0", "vector"),
        ("0 + [1,2,3]", "vector"),
        ("free + [1,2,3]", "vector"),
        ("-[1,2,3]", "vector"),
        ("2 * [1,2,3] * x", "vector"),
        ("[1,2,3] / x", "vector"),
        ("[[1,0,0],[0,1,0],[0,0,1]]", "matrix"),
        ("[[1,0,0],[0,1,0],[0,0,1]] * [1,2,3]", "vector"),
        ("[[1,0,0],[0,1,0],[0,0,1]]^2", "matrix"),
        ("x || [0,0,1]", "rotation"),
        ("(x || [0,0,1]) * (y || [1,0,0])", "rotation"),
        ("(x || [0,0,1]) * [1,0,0]", "vector"),
        ("[1,0,0] ++ 1", "displacement"),
        ("([1,0,0] ++ 1) * (0 ++ x || [0,0,1])", "displacement"),
        ("[1,0,0] @ earth", "frame"),
        ("x^2", "scalar"),
        ("dot([1,0,0], cross([0,1,0], [0,0,1]))", "scalar"),
        ("atan2(sin(x), cos(x)) + sqrt(2) + pi", "scalar"),
        ("body end", "body"),
        ("link end", "link"),
        ("?v", "vector"),
        ("?fv(x)", "vector"),
        ("local a = [0,0,1] in x || a end", "rotation"),
    ],
)
def test_types_of_operations(expression, kind):
    assert str(type_of(expression)) == kind


@pytest.mark.parametrize(
    "expression",
    [
        "[1,0,0] * [0,1,0]",
        "[1,0,0] + 1",
        "1 / [1,0,0]",
        "[1,0,0]^2",
        "(x || [1,0,0]) + 1",
        "body end + 1",
        "-(link end)",
    ],
)
def test_operations_without_meaning(expression):
    assert messages(f"let a = {expression} ;")


def test_only_zero_and_one_are_overloaded():
    assert messages("let b = body inertia = 2 end ;")
    assert messages("let b = body inertia = 1 end ;")
    assert messages("let d = [0,0,1] ++ 2 ;")
    assert not messages("let d = [0,0,1] ++ 1 ;")
    warned = lsd.check("let d = [0,0,1] ++ 0 ;").diagnostics
    assert [d.severity for d in warned] == ["warning"]


def test_vectors_and_rotations_become_displacements_where_one_is_expected():
    m = lsd.loads("let b = body iframe = [1,2,3] end ; join earth and x || [0,0,1] @ b with link end ;")
    assert m.bodies["b"].iframe.translation == tuple(map(ex.const, (1, 2, 3)))
    assert len(m.links["b"].second.displacement.turns) == 1


def test_a_body_for_a_frame_is_an_error_with_a_hint_unless_lenient():
    text = "let s = body mass = 1 end ; join earth and s with link end ;"
    fault(text, r"s\.frame")
    assert lsd.loads(text, lenient=True).links["s"].second.body == "s"


def test_a_frame_for_a_body_has_a_hint():
    fault("let s = body end ; join earth and s.frame with link end ; apply torque end on s.frame ;", "write `s`")


def test_free_names_take_the_type_of_their_first_use():
    text = "let b = body mass = m, iframe = n end ; join earth and b.frame with link(x) dof = x || n end ;"
    assert messages(text)
    m = lsd.loads("let b = body mass = m, iframe = d end ; join earth and b.frame with link(x) dof = x || n end ;")
    assert {"m", "d_x", "d_y", "d_z", "d_1", "n_x", "n_y", "n_z"} <= set(m.parameters())


def test_free_functions_are_unknown_scalar_functions():
    m = lsd.loads(
        "let b = body mass = 1 end ; join earth and b.frame with link(x) dof = [x,0,0], force = [f(x,x'),0,0] end ;"
    )
    assert ex.unknown_functions(m.freeze().scalars()) == {"f"}


def test_definitions_are_checked_once_and_built_anew_each_time():
    text = """let wheel(r : scalar) = body mass = ?s, iframe = 0, inertia = [r, r, 2*r] end ;
    let a = wheel(r = 1) ; let b = wheel(2) ; let c = a ;
    join earth and a.frame with link end ; join c.frame and b.frame with link end ;"""
    m = lsd.loads(text)
    assert list(m.bodies) == ["earth", "a", "b"]
    assert (m.bodies["a"].mass.name, m.bodies["b"].mass.name) == ("mu_1", "mu_2")


@pytest.mark.parametrize(
    ("call", "pattern"),
    [
        ("f(x = 1)", "needs also y"),
        ("f(x = 1, y = 2, z = 3)", "has no parameter z"),
        ("f(x = 1, x = 2, y = 1)", "given twice"),
        ("f(1)", "f needs also y"),
        ("f(x = [1,0,0], y = 1)", "expected a scalar"),
        ("g(x = 1)", "unbound variable g"),
    ],
)
def test_instantiation_names_every_parameter_once(call, pattern):
    fault(f"let f(x : scalar, y : scalar) = x*y ; let a = {call} ;", pattern)


def test_a_definition_does_not_see_itself():
    fault("let f(x : scalar) = body mass = f(x = x).mass end ;", "syntax")
    fault("let f(x : scalar) = body iframe = f(x = x) end ;", "unbound variable f")


def test_a_package_sees_itself_and_other_packages_only():
    m = lsd.loads(
        """let k = 5 ;
        package geometry = let up = [0,0,1] ; let turn(a : scalar) = link(x) dof = x + a || up end ; end ;
        package parts = let arm = body mass = k, iframe = geometry:up, inertia = 0 end ; end ;
        join earth and parts:arm.frame with geometry:turn(a = 1) ;"""
    )
    assert m.bodies["arm"].mass is ex.symbol("k")
    fault("package p = let a = body end ; join earth and a.frame with link end ; end ;", "definitions only")
    fault("package p = let a = 1 ; end ; let b = p:c ;", "p:c")


def test_primes_belong_to_link_parameters():
    fault("let a = x' ;", "link parameter")
    fault("let l = link(x) dof = [x,0,0], force = [x'',0,0] end ;", "acceleration")


@pytest.mark.parametrize(
    ("link", "pattern"),
    [
        ("link(x) dof = 0 end", "used in no dof"),
        ("link(x, x) dof = [x,0,0] end", "named twice"),
        ("link(x) dof = [x,0,0], dof1 = 0 end", "not both"),
        ("link(x) dof1 = [x,0,0], dof3 = 0 end", "dof2 is missing"),
        ("link(a,b,c,d,e,f,g) dof = [a+b+c,d+e,f+g] end", "at most six"),
        ("link(x) dof1 = [x,0,0], torque2 = [1,0,0] end", "dof2"),
        ("link dof7 = 0 end", "no field dof7"),
        ("link(x) dof = x || [0,0,0] end", "cannot be zero"),
        ("link(x) dof = 1 || [x,0,1] end", "axis"),
    ],
)
def test_rules_of_links(link, pattern):
    fault(f"let b = body mass = 1 end ; join earth and b.frame with {link} ;", pattern)


def test_reading_fields_of_absent_properties_gives_their_generic_symbols():
    m = lsd.loads(
        """let a = body inertia = 0 end ; let b = body mass = 2*a.mass, iframe = 0, inertia = a.inertia end ;
        join earth and a.frame with link end ; join a.iframe and b.frame with link end ;"""
    )
    assert m.bodies["b"].mass is 2 * ex.symbol("mu_1")
    assert m.links["b"].first.displacement == m.bodies["a"].iframe


def test_full_inertia_matrices_must_be_symmetric():
    rows = "[[3,0.1,0],[{},4,0],[0,0,5]]"
    text = "let b = body mass = 1, iframe = 0, inertia = {} end ; join earth and b.frame with link end ;"
    found = lsd.loads(text.format(rows.format("0.1"))).bodies["b"].inertia
    assert [float(x) for x in found.entries] == [3, 4, 5, 0.1, 0, 0]
    fault(text.format(rows.format("0.2")), "symmetric")


@pytest.mark.parametrize("value", ["1/0", "2^100000000", "9^9^9^9^9", "log(0)", "1e999", "9" * 400, "0^(0-1)"])
def test_arithmetic_faults_have_a_place(value):
    with pytest.raises(LsdError) as caught:
        lsd.loads(f"let b = body mass = {value}, iframe = 0, inertia = 0 end ; join earth and b.frame with link end ;")
    assert caught.value.diagnostics


def test_growing_constants_are_stopped():
    doubling = "let a0 = 7 ;" + "".join(f"let a{k + 1} = a{k}*a{k} ;" for k in range(60))
    fault(doubling, "too large")


def test_runaway_definitions_are_stopped():
    doubling = "let f0(x : scalar) = x ;" + "".join(
        f"let f{k + 1}(x : scalar) = f{k}(x = x) + f{k}(x = 2*x) ;" for k in range(40)
    )
    fault(doubling + "let a = f40(x = y) ;", "too often")
