"""Bodies of a loop that carry no mass: which of them makes the mass matrix singular, and the cut that helps."""

from __future__ import annotations

from dalembert.errors import SingularError
from dalembert.mechanism import Layout


def without_mass(layout: Layout, error: SingularError) -> SingularError:
    """The same error, or one that names the body at the end of a loop and the cut that helps."""
    if not layout.cuts or not layout.idle:
        return error
    body, link = layout.idle[0]
    other = Layout.of(layout.model)
    cuts = ", ".join(f"'{one.link.name}'" for one in other.cuts)
    help_ = "" if other.idle else f", or cut another link of its loop: cut=[{cuts}], which is taken when none is said"
    closing = ", ".join(f"'{one.link.name}'" for one in layout.cuts)
    return SingularError(
        f"the mass matrix of '{layout.model.name}' is singular in every configuration: body '{body}' has no mass and "
        f"carries none, because it hangs on link '{link.name}' at the end of the tree that the cut links {closing} "
        f"leave. Give it mass or inertia{help_}."
    )
