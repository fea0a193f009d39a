"""Imported by the process that workers are forked from: a small machine goes all the way once.

So no page waits for modules that are loaded, and compilers that are made, when they are first used.
"""

import gc

from dalembert.studio.jobs import answer

PROGRAM = """
use "joints.lsd" ;
let rod = body mass = 1, iframe = [0, 0, -1] ++ 1, inertia = 0 end ;
join earth and rod.frame with link(th) dof = th || [0,1,0] end as pivot ;
gravity [0, 0, -9.81] ;
start pivot.th = 1 ;
"""

ANSWERS = tuple(answer(job, {"text": PROGRAM, "name": "warm.lsd"}) for job in ("check", "motion", "equations"))
gc.freeze()  # what is loaded stays: workers share its memory, and do not look through it for waste
