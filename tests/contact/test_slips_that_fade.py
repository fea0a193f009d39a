"""A slip in space whose direction turns as it fades ends in a stick, however its steps shrink."""

import pytest

import dalembert as da

QUADRUPED = """
(* Four legs held by servos land on their feet, two of them first. *)
use "motors.lsd" ; use "solids.lsd" ; use "joints.lsd" ;
package leg(at : frame, phase : scalar) =
  let thigh = hanging_rod(m = 0.8, l = 0.25) and shin = hanging_rod(m = 0.3, l = 0.25) ;
  join at and thigh.frame with servo(axis = [0, 1, 0], target = 0.5 + 0.2*sin(6*t + phase), kp = 80, kd = 2) as hip ;
  join [0, 0, -0.25] @ thigh and shin.frame with servo(axis = [0, 1, 0], target = -1, kp = 80, kd = 2) as knee ;
  let foot = [0, 0, -0.25] @ shin ;
  contact sphere(foot, 0.02) and plane(earth) friction 0.7 as ground ;
  start hip.th = 0.5, knee.th = -1 ;
end ;
let trunk = box(m = 10, a = 0.6, b = 0.3, c = 0.15) ;
join earth and trunk.frame with free() as pose ;
for i in 0..1 do for j in 0..1 do
  let leg[i][j] = leg(at = [0.6*i - 0.3, 0.3*j - 0.15, 0] @ trunk, phase = pi*(i + j)) ;
end ; end ;
gravity [0, 0, -9.81] ;
start pose.z = 0.5 ;
"""


@pytest.mark.slow
def test_a_quadruped_lands_though_a_foot_turns_as_its_slip_fades():
    mo = da.loads(QUADRUPED).simulate((0, 0.0929))
    assert mo.success
    foot = [phase.state for phase in mo.contacts.phases if phase.contact == "leg[0][1].ground"]
    assert "slip" in foot
    assert foot[-1] != "open"
    assert mo.quality.energy < 1e-9
    assert mo.quality.inside < 1e-12
