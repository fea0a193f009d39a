"""What is known about a term: declared for symbols, derived for everything built from them."""

from __future__ import annotations

from dalembert.algebra.core.operator import EXPR, MATRIX_OF, PRODUCT, QPRODUCT, ROTATION, SYMBOL, TRANSPOSE, VARIABLE
from dalembert.algebra.core.term import Facts, Term, postorder

# What follows from what; `orthogonal` of a quaternion is called `unit`.
IMPLIED: dict[str, frozenset[str]] = {
    "rotation": frozenset({"orthogonal", "invertible"}),
    "orthogonal": frozenset({"invertible"}),
    "positive definite": frozenset({"symmetric", "invertible"}),
    "diagonal": frozenset({"symmetric"}),
}


def closure(properties: frozenset[str]) -> frozenset[str]:
    """The properties with all that they imply."""
    found = set(properties)
    for name in properties:
        found |= IMPLIED.get(name, frozenset())
    if len(found) > len(properties):
        return closure(frozenset(found))
    return frozenset(found)


def declared(term: Term) -> frozenset[str]:
    """The properties of a symbol or pattern variable; none for anything else."""
    if term.op is SYMBOL or term.op is VARIABLE:
        facts: Facts = term.payload if term.op is SYMBOL else term.payload[0]
        return facts.properties
    return frozenset()


def is_symmetric(term: Term) -> bool:
    from dalembert.algebra.operators.words import transpose

    return term.sort.is_square and transpose(term) is term


def is_antisymmetric(term: Term) -> bool:
    from dalembert.algebra.operators.words import transpose

    return term.sort.is_square and transpose(term) is -term


def is_orthogonal(term: Term) -> bool:
    """A A^T = 1."""
    if term.op is SYMBOL or term.op is VARIABLE:
        return "orthogonal" in declared(term)
    if term.op is ROTATION or term.op is MATRIX_OF:
        return True
    return term.op is PRODUCT and term.sort.is_square and all(is_orthogonal(a) for a in term.args)


def is_rotation(term: Term) -> bool:
    """Orthogonal with determinant 1."""
    if term.op is SYMBOL or term.op is VARIABLE:
        return "rotation" in declared(term)
    if term.op is ROTATION or term.op is MATRIX_OF:
        return True
    return term.op is PRODUCT and term.sort.is_square and all(is_rotation(a) for a in term.args)


def is_unit(term: Term) -> bool:
    """A vector or quaternion of length 1."""
    if term.op is SYMBOL or term.op is VARIABLE:
        return "unit" in declared(term)
    if term.op is QPRODUCT:
        return all(is_unit(a) for a in term.args)
    if term.op is PRODUCT and term.sort.is_vector:
        return is_unit(term.args[-1]) and all(is_orthogonal(a) for a in term.args[:-1])
    return False


def is_constant(term: Term) -> bool:
    """Whether every leaf is declared constant (scalar expressions without symbols count)."""
    for leaf in postorder([term]):
        if leaf.op is SYMBOL and "constant" not in declared(leaf):
            return False
        if leaf.op is EXPR:
            from dalembert.expr import free_symbols

            if free_symbols([leaf.payload]):
                return False
    return True


def are_orthogonal(u: Term, v: Term) -> bool:
    """Two symbols declared perpendicular, or two members of one orthonormal basis."""
    if u.op is not SYMBOL or v.op is not SYMBOL:
        return False
    a: Facts = u.payload
    b: Facts = v.payload
    if a.basis is not None and a.basis == b.basis and not a.order and not b.order:
        return u is not v
    if v in a.orthogonal_to or u in b.orthogonal_to:
        return True
    # A unit vector is perpendicular to its own rate.
    return "unit" in a.properties | b.properties and a.name == b.name and {a.order, b.order} == {0, 1}


def are_collinear(u: Term, v: Term) -> bool:
    """Two symbols of which one is declared a multiple of the other, or both of a third."""
    roots = []
    for t in (u, v):
        while t.op is SYMBOL and t.payload.collinear_to is not None:
            t = t.payload.collinear_to
        roots.append(t)
    return roots[0] is roots[1]


def commute(a: Term, b: Term) -> bool:
    """Two matrices declared to commute, two diagonal ones, or the transposes of such."""
    if a.op is TRANSPOSE and b.op is TRANSPOSE:
        a, b = a.args[0], b.args[0]
    if a.op is not SYMBOL or b.op is not SYMBOL:
        return False
    if b in a.payload.commutes_with or a in b.payload.commutes_with:
        return True
    return "diagonal" in a.payload.properties and "diagonal" in b.payload.properties


def property_names(term: Term) -> frozenset[str]:
    """Every property that is declared or derived, by name: what typed rules ask for."""
    names = set(closure(declared(term)))
    if term.sort.is_square and term.sort.is_matrix:
        if is_symmetric(term):
            names.add("symmetric")
        if is_antisymmetric(term):
            names.add("antisymmetric")
        if is_orthogonal(term):
            names |= {"orthogonal", "invertible"}
        if is_rotation(term):
            names.add("rotation")
    if is_unit(term):
        names.add("unit")
    if is_constant(term):
        names.add("constant")
    return frozenset(names)
