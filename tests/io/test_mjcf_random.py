"""Random MJCF files beside MuJoCo: classes in classes, rows said in part, joints beside balls, laws without names."""

from __future__ import annotations

import re

import numpy as np
import pytest

import dalembert as da

pytestmark = pytest.mark.filterwarnings("ignore::dalembert.io.UnmappedWarning")


class File:
    """One random file: a free body, and an arm whose second body has a hinge and a ball, maybe a slide before them."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def some(self, n, size=1.0):
        return " ".join(f"{x:.4f}" for x in self.rng.standard_normal(n) * size)

    def up(self, n, size=1.0):
        return " ".join(f"{abs(x) * size + 0.05:.4f}" for x in self.rng.standard_normal(n))

    def rows(self, most):
        return self.some(int(self.rng.integers(1, most + 1)))

    def laws(self):
        kinds = [
            f'<general gainprm="{self.rows(3)}" biastype="affine" biasprm="{self.rows(3)}"/>',
            f'<position kp="{self.up(1, 9)}" {self.rng.choice(["kv", "dampratio"])}="{self.up(1)}"/>',
            f'<velocity kv="{self.up(1)}"/>',
            "<velocity/>",
            f'<motor gear="{self.rows(6)}"/>',
        ]
        return f'<geom size="{self.up(3, 0.1)}"/><joint damping="{self.up(1)}"/>{self.rng.choice(kinds)}'

    def actuator(self):
        kind = str(self.rng.choice(["motor", "position", "velocity", "general"]))
        said = {
            "position": f'{self.rng.choice(["kv", "dampratio", "kp"])}="{self.up(1)}"',
            "general": f'biastype="affine" biasprm="{self.rows(3)}" gear="{self.rows(6)}"',
        }.get(kind, "")
        on = str(self.rng.choice(["a", "b", "a"]))
        group = str(self.rng.choice(["", 'class="inner"', 'class="outer"']))
        return f'<{kind} joint="{on}" {said} {group}/>'

    def text(self):
        turn = f'pos="{self.some(3, 0.3)}" axisangle="{self.some(4)}"'
        slide = f'<joint name="s" type="slide" axis="{self.some(3)}" ref="0.2"/>' * int(self.rng.integers(0, 2))
        return f"""<mujoco><compiler angle="radian"/><default>{self.laws()}<default class="outer">{self.laws()}
          <default class="inner">{self.laws()}</default></default></default><worldbody><site name="w" {turn}/>
          <body name="A" {turn} childclass="outer"><joint name="a" axis="{self.some(3)}"/>
            <geom type="box" size="{self.up(1, 0.1)}"/>
            <frame {turn} childclass="inner"><body name="B" {turn}>{slide}<joint name="b" axis="{self.some(3)}"/>
              <joint name="c" type="ball" pos="{self.some(3, 0.1)}"/><geom type="capsule" size="{self.up(1, 0.1)}"/>
              <geom type="ellipsoid" size="{self.up(2, 0.1)}" {turn}/><site name="p" {turn}/></body></frame></body>
          <body name="F" {turn}><freejoint name="f"/><geom size="0.1"/><site name="q" {turn}/></body></worldbody>
          <tendon><spatial stiffness="5" damping="0.3"><site site="q"/><site site="{self.rng.choice(["w", "p"])}"/>
          </spatial></tendon><actuator>{"".join(self.actuator() for _ in range(3))}</actuator></mujoco>"""


def places(f, data, model, mujoco):
    """Of each of MuJoCo's coordinates and speeds, which is ours."""
    found = [], []
    for j in range(model.njnt):
        name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, j)
        body = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_BODY, model.jnt_bodyid[j])
        ways = (
            rf"f\..+|{name}\.\w+'?|{body}\.{name}(_e\d)?'?"
            if name == "f"
            else rf"{name}\.\w+'?|{body}\.{name}(_e\d)?'?"
        )
        ways = ways + rf"|{body}\.w." if name == "c" else ways
        for own, names in zip(found, (f.coordinates, f.speeds), strict=True):
            own += [k for k, x in enumerate(names) if re.fullmatch(ways, x)]
    assert list(map(len, found)) == [model.nq, model.nv]
    return found


def untold(model):
    """Whether the file asks for what is told as left out: laws of classes of another kind."""
    return any("law" in note or re.search(r"prm|kp|kv|dampratio|biastype", note) for note in model.notes)


@pytest.mark.parametrize("seed", range(8))
def test_random_files_move_as_in_mujoco(seed, tmp_path):
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "m.xml"
    path.write_text(File(seed).text())
    model = mujoco.MjModel.from_xml_path(str(path))
    data, m = mujoco.MjData(model), da.read_mjcf(path)
    if untold(m):
        return
    f, rng = m.compile(), np.random.default_rng(seed)
    at, there = places(f, data, model, mujoco)
    data.qpos[:], data.qvel[:] = rng.uniform(-1, 1, model.nq), rng.standard_normal(model.nv)
    mujoco.mj_normalizeQuat(model, data.qpos)
    data.ctrl[:] = rng.uniform(0, 1, model.nu)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    mujoco.mj_forward(model, data)
    q, u = np.zeros(model.nq), np.zeros(model.nv)
    q[at], u[there] = data.qpos, data.qvel
    controls = dict(zip(m.given, data.ctrl, strict=True))
    found = np.asarray(f.acceleration(q, u, **controls))[there]
    np.testing.assert_allclose(found, data.qacc, atol=1e-9 * np.abs(data.qacc).max())
