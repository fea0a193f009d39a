"""Laws of MJCF beside MuJoCo itself: springs, dampers, tendons, actuators of every kind, keyframes, flags."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da

MACHINE = """
<mujoco model="all">
  <compiler angle="radian" autolimits="true"/>
  <option gravity="0 0 -9.81">{flags}</option>
  <default>
    <joint damping="0.3"/>
    <motor gear="2"/>
    <default class="stiff"><joint stiffness="4" damping="0.7"/>
      <default class="inner"><joint damping="0.1"/><position kp="9"/></default></default>
  </default>
  <worldbody>
    <site name="wall" pos="0.8 0.1 0.4"/>
    <body name="upper" pos="0 0 1">
      <inertial pos="0.05 0.02 -0.2" mass="2" fullinertia="0.05 0.06 0.02 0.003 0.001 0.002"/>
      <joint name="shoulder" axis="0 1 0.2" class="stiff" springref="0.2" armature="0.05"/>
      <site name="mid" pos="0.1 0 -0.2" euler="0.3 0.2 0.1"/>
      <body name="lower" pos="0 0 -0.5" childclass="inner">
        <inertial pos="0 0.03 -0.2" mass="1.2" diaginertia="0.02 0.02 0.01"/>
        <joint name="elbow" axis="1 0 0" pos="0.01 0 0.02" ref="0.3"/>
        <joint name="slide" type="slide" axis="0 0 1" springdamper="0.4 0.8" range="-0.5 0.5"/>
        <site name="tip" pos="0 0 -0.4" quat="0.9 0.1 0.3 0.2"/>
        <body name="hand" pos="0 0 -0.4">
          <inertial pos="0.01 0 -0.05" mass="0.4" diaginertia="0.001 0.002 0.0015"/>
          <joint name="wrist" type="ball" damping="0.05" class="main"/>
        </body>
      </body>
    </body>
    <body name="drone" pos="1 0.5 1" euler="0.1 0.2 0.3">
      <joint name="loose" type="free" damping="0.2" class="main"/>
      <inertial pos="0.02 0 0" mass="0.7" diaginertia="0.01 0.012 0.02"/>
    </body>
  </worldbody>
  <tendon>
    <fixed name="sum" stiffness="2" damping="0.2" springlength="0.1 0.4"><joint joint="shoulder" coef="0.7"/>
      <joint joint="elbow" coef="-1.1"/></fixed>
    <spatial name="rope" stiffness="6" damping="0.4" springlength="0.5"><site site="wall"/><site site="tip"/></spatial>
    <spatial name="bare"><site site="wall"/><site site="mid"/></spatial>
  </tendon>
  <actuator>
    <motor name="a" joint="shoulder"/>
    <position name="b" joint="elbow" class="inner" kv="0.4"/>
    <position name="c" joint="slide" kp="50" dampratio="0.7" gear="1.5"/>
    <velocity name="d" joint="elbow" kv="3" gear="2"/>
    <general name="e" tendon="sum" gainprm="2" biastype="affine" biasprm="0.1 -0.5 -0.2" forcerange="-3 3"/>
    <motor name="f" tendon="bare" gear="1.2"/>
    <motor name="g" site="tip" gear="1 2 3 0.1 0.2 0.3"/>
    <motor name="h" joint="wrist" gear="0.3 0.2 0.5"/>
    <motor name="i" jointinparent="wrist" gear="0.1 -0.4 0.2"/>
    <motor name="k" joint="loose" gear="1 2 3 0.4 0.5 0.6"/>
    <damper name="n" joint="elbow" kv="0.5" ctrlrange="0 10"/>
    <position name="o" tendon="rope" kp="3" kv="0.3"/>
  </actuator>
  <keyframe>
    <key name="go" qpos="0.3 0.5 0.1 0.9 0.1 0.2 0.3 1.1 0.4 0.9 0.8 0.2 0.1 0.3"
      qvel="0.2 -0.4 0.3 0.1 0.2 0.3 0.3 0.2 0.1 0.5 0.4 -0.6"
      ctrl="0.3 0.4 0.2 -0.3 0.6 0.7 0.5 0.4 -0.3 0.2 1.5 0.6"/>
  </keyframe>
</mujoco>"""


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("flags", ["", '<flag spring="disable"/>', '<flag damper="disable" actuation="disable"/>'])
def test_every_law_gives_the_accelerations_of_mujoco(flags, tmp_path):
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "all.xml"
    path.write_text(MACHINE.format(flags=flags))
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    mujoco.mj_resetDataKeyframe(theirs, data, 0)
    for adr in (3, 10):  # quaternions of the keyframe, of length one
        data.qpos[adr : adr + 4] /= np.linalg.norm(data.qpos[adr : adr + 4])
    theirs.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    mujoco.mj_forward(theirs, data)
    m = da.read_mjcf(path, keyframe="go", limits=False)
    f = m.compile()
    y, n = f.start().y, len(f.coordinates)
    order = ["shoulder.th", "lower.elbow", "lower.slide", *(f"wrist.e{k}" for k in range(4)), "loose"]
    at = [f.coordinates.index(x) for x in order[:-1]] + [
        k for k, x in enumerate(f.coordinates) if x.startswith("loose.")
    ]
    own = ["shoulder.th'", "lower.elbow'", "lower.slide'"]
    there = [f.speeds.index(x) for x in own] + [
        k for link in ("wrist.", "loose.") for k, x in enumerate(f.speeds) if x.startswith(link)
    ]
    np.testing.assert_allclose(y[:n][at], data.qpos, atol=1e-12)
    np.testing.assert_allclose(y[n:][there], data.qvel, atol=1e-12)
    found = np.asarray(f.acceleration(y[:n], y[n:]))[there]
    np.testing.assert_allclose(found, data.qacc, atol=1e-9 * np.abs(data.qacc).max())
    again = da.loads(m.to_lsd()).compile()
    np.testing.assert_allclose(again.acceleration(y[:n], y[n:]), f.acceleration(y[:n], y[n:]), rtol=1e-12)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_limits_and_equalities_of_straight_tendons_are_those_of_their_length(tmp_path):
    path = tmp_path / "rope.xml"
    path.write_text("""<mujoco><worldbody><site name="top" pos="0 0 2"/>
      <body name="ball" pos="0 0 1">
      <joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
      <geom size="0.1" mass="1"/><site name="here"/></body></worldbody>
      <tendon><spatial name="rope" range="0 1.5" limited="true"><site site="top"/><site site="here"/></spatial></tendon>
      </mujoco>""")
    m = da.read_mjcf(path)
    assert [one.name for one in m.contacts] == ["rope_low", "rope_high"]
    mo = m.simulate((0, 2))  # it falls until the rope is stretched
    assert np.hypot(mo["ball.X"], mo["ball.Z"] - 2).max() < 1.5 + 1e-6
    assert np.hypot(mo["ball.X"], mo["ball.Z"] - 2)[-1] == pytest.approx(1.5, abs=1e-6)
    text = path.read_text().replace("</mujoco>", '<equality><tendon tendon1="rope"/></equality></mujoco>')
    path.write_text(text)
    held = da.read_mjcf(path, limits=False)
    mo = held.simulate((0, 2), start={"ball.x'": 1.0})
    np.testing.assert_allclose(np.hypot(mo["ball.X"], mo["ball.Z"] - 2), 1.0, atol=1e-6)


@pytest.mark.parametrize("flags", ["", "spring", "damper"])
def test_a_spring_by_its_time_constant_is_the_oscillator_that_it_names(flags, tmp_path):
    """x'' = -x/(T r)^2 - 2 x'/T of whatever the joint carries; each part can be switched off."""
    path = tmp_path / "timed.xml"
    option = f'<option gravity="0 0 0"><flag {flags}="disable"/></option>' if flags else '<option gravity="0 0 0"/>'
    path.write_text(f"""<mujoco>{option}<worldbody><body><inertial pos="0 0 0" mass="2.5" diaginertia="1 1 1"/>
      <joint name="x" type="slide" axis="1 0 0" springdamper="0.4 0.8" springref="0.1"/></body></worldbody></mujoco>""")
    f = da.read_mjcf(path).compile()
    (found,) = np.asarray(f.acceleration([0.3], [0.7])).ravel()
    spring, damper = (0.0 if part == flags else 1.0 for part in ("spring", "damper"))
    assert found == pytest.approx(-spring * 0.2 / (0.4 * 0.8) ** 2 - damper * 2 * 0.7 / 0.4)
