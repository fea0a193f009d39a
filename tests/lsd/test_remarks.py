"""Comments are said of the declaration that they stand above or beside, and of no other."""

import pytest

from dalembert import lsd
from dalembert.lsd.remarks import Remarks
from dalembert.lsd.source import Source

ARM = """(* An arm; for tests. *)
let arm = body mass = 2, iframe = 0 end ; (* of steel; bought *)
(* the tool *)
let tool = body mass = 1, iframe = 0 end ;

(* swings; freely *)
join earth and arm.frame with link(th) dof = th || [0, 0, 1] end as hinge ; (* at the wall *)
join arm.frame and tool.frame with link(x) dof = [x, 0, 0] end as slide ;
apply force value = [1, 0, 0] end on tool.frame as push ; (* of the wind *)
"""


def test_a_comment_is_said_of_what_it_stands_above_or_beside():
    assert lsd.loads(ARM).remarks == {
        ("body", "arm"): "of steel; bought",
        ("body", "tool"): "the tool",
        ("link", "hinge"): "swings; freely; at the wall",
        ("effort", "push"): "of the wind",
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("let a = 1 ; (* of a *)\nlet b = 2 ;", ""),
        ("let a = 1 ;\n(* of b *)\nlet b = 2 ;", "of b"),
        ("let a = 1 ; (* of b *) let b = 2 ;", "of b"),
        ("let a = 1 ;\nlet b = 2 ; (* of b *)\nlet c = 3 ;", "of b"),
        ("let a = 1 ;\nlet b = 2 ;\n(* of c *)\nlet c = 3 ;", ""),
        ("let a = 1 and\n(* of b; still *)\n b = 2 ;", "of b; still"),
        ("let a = 1 ; let b = 2 ;", ""),
    ],
)
def test_the_remark_of_b(text, said):
    at = text.index("b = 2")
    assert Remarks(Source(text)).of((at, at + 1)) == said


def test_a_machine_that_is_built_twice_says_its_comment_of_both():
    text = """package leg() =
  (* carries the load *)
  let thigh = body mass = 1, iframe = 0 end ;
  join earth and thigh.frame with link(th) dof = th || [0, 0, 1] end as hip ;
end ;
let left = leg() ;
let right = leg() ;"""
    assert lsd.loads(text).remarks == {
        ("body", "left.thigh"): "carries the load",
        ("body", "right.thigh"): "carries the load",
    }
