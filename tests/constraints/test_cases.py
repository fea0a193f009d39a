"""The machines of examples/constraints against numbers that were derived and integrated apart from this package.

Dazord (1994), Marle, Kane and Levinson (1982), and the classics. A case is the times at which a motion is looked at,
and for formulas their values there (a point where none is known). Accelerations and reactions at the start
hold to 1e-8, motions to 1e-7.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import dalembert as da
from dalembert import expr as ex
from dalembert import lsd
from dalembert.cli import app
from dalembert.dynamics import dynamics_of
from dalembert.formalisms import formalism_names

FOLDER = Path(__file__).parents[2] / "examples" / "constraints"
FILES = sorted(FOLDER.glob("*.lsd"))
#: What the satellite has turned when its flywheels are back: cos(phase/2) = 1 - 2 sin^2(a/2) sin^2(b/2).
PHASE = 1.277870107
#: Five periods of the swing.
SWINGS = 10 * np.pi / np.sqrt(9.81 / 2.5)


@dataclass(frozen=True)
class Case:
    """A motion from the start of a file, or from another one."""

    file: str
    times: str
    told: dict[str, str]
    start: dict[str, float] = field(default_factory=dict)
    given: dict[str, float] = field(default_factory=dict)
    motion: float = 1e-7
    balanced: bool = True  # the work of unilateral contacts is not told

    def __str__(self) -> str:
        return "_".join([self.file, *self.start, *self.given])


CASES = [
    Case("servo_discs", "0 1 5", {
        "one.th": "0.3 0.2498659868 0.2371371862", "one.th'": "0.4 -0.4784532073 -0.4943833404", "one.th''": "-0.75",
        "two.th": "0.3 0.2498659868 0.2371371862", "servo.lambda": "-2.25", "servo.power": "-0.9"}),
    Case("sperry", "0 1 5", {
        "tilt.th": "0.1 0.295175067 0.1176533908", "roll_of.th": "0.2 0.2310296511 0.001997438267",
        "spin.th": "0 20.02867038 100.1984749", "tilt.th'": "0.57", "tilt.th''": "-1.192797566",
        "roll_of.th''": "-0.9151983776", "spin.th''": "-0.07877833132", "law.lambda": "-6.203801025",
        "law.power": "-3.536166584"}),
    Case("billiard_slides", "0 0.3 1.3324007732", {
        "ball.X''": "-1.842010499 -1.842010499 0", "ball.Y''": "-0.6756044109 -0.6756044109 0",
        "cloth.lambda": "1.6677", "cloth.power": "-0.7613371064", "f.wx'": "-59.05632962", "f.wy'": "161.0149038",
        "ball.X": "0 . 1.95075371",
        "ball.Y": "0 . 0.4043050998", "ball.WX": "10 . -9.63036963", "ball.WY": "-5 . 48.52147852"}),
    Case("billiard", "0 1.3324007732", {
        "ball.X": "0 1.95075371", "ball.Y": "0 0.4043050998", "ball.X'": "2 1.387714286", "ball.Y'": "0.5 0.2754285714",
        "ball.WX": "10 -9.63036963", "ball.WY": "-5 48.52147852", "ball.WZ": "30 30",
        "5.562128e-5*ball.WX - 0.004862*ball.Y'": "-0.0018747872 -0.0018747872",
        "5.562128e-5*ball.WY + 0.004862*ball.X'": "0.0094458936 0.0094458936"}, balanced=False),
    Case("sliding_point", "0 1 3", {
        "p.x''": "-1.7658 -1.7658 0", "p.y''": "-2.3544 -2.3544 0", "plane.lambda": "12.753 12.753 12.753",
        "plane.power": "-19.1295 . 0", "p.x": f"0 {3 - 1.7658 / 2} {0.6 * 4.247366633}", "p.x'": "3 . 0"}),
    Case("skater_1", "0 1 4", {
        "p.x": "0 1.840560518 6.421818386", "p.y": "0 0.7760786782 4.516159724", "p.th": "0.3 0.4734361099 1.068701563",
        "s.th": "0.1 1.052452249 3.789877599", "p.x''": "-0.1477601033", "p.y''": "0.4776682446",
        "p.th''": "-0.1548381997", "s.th''": "0.2477411196", "blade.lambda": "-30", "shoulders.lambda": "0.2322572996",
        "shoulders.power": "0.1927619516", "4*p.th' + 2.5*s.th'": "3.074875062 3.074875062 3.074875062",
        "60*(p.x'*cos(p.th) + p.y'*sin(p.th))": "120 120 120"}),
    Case("skater_2", "0 1 5", {
        "p.x": "0 2.262985446 -3.63106541", "p.y": "0 1.834887815 9.078315501", "p.th": "0.3 1.111983697 3.57485843",
        "p.x''": "-0.5353714612", "p.y''": "1.718543083", "p.th''": "0.599280863", "skate.lambda1": "-108",
        "skate.lambda2": "1.078705553", "30*(p.x'^2 + p.y'^2) + 0.9*p.th'^2": "270.324 270.324 270.324"}),
    Case("foucault", "0", {
        "wire.x''": "-0.4924446577", "wire.y''": "-0.2483350891", "motor.lambda": "0.645529984",
        "motor.power": "0.00645529984"}),
    Case("foucault", "0 10", {"wire.x": "0.02 -0.01969983123", "wire.y": "0 0.001526367897"}, {
        "wire.x": 0.02, "wire.y": 0, "wire.x'": 0, "wire.y'": -0.0002 * np.sin(np.radians(48.85))}),
    Case("falling_cat", "0 0.5 2", {
        "p.th": "0 -0.04200418123 -0.04254006406", "p.th''": "1.219869095", "loin.lambda": "-1.197427363",
        "neck.lambda": "0.5303060025", "loin.power": "0", "neck.power": "1.332804353"}),
    Case("satellite_rotors", "0 4", {
        "turn.e0": f"1 {np.cos(PHASE / 2)}", "turn.e1": f"0 {-0.3815402825 * np.sin(PHASE / 2)}",
        "turn.e2": f"0 {0.6055227036 * np.sin(PHASE / 2)}", "turn.e3": f"0 {0.6984048025 * np.sin(PHASE / 2)}",
        "one.th": "0 0", "two.th": "0 0"}),
    Case("swing", f"0 {SWINGS}", {
        "15*r.l^2*swing.th'^2 + 294.3*r.l*(1 - cos(swing.th))": "3.75 0.2238837769"}, {
        "swing.th": 0, "swing.th'": 0.2}),
    Case("swing", f"0 1 {SWINGS}", {
        "swing.th": "0.1 -0.0420260762 0.4132051779", "swing.th'": "0 -0.2149968657 0.02670018013",
        "swing.th''": "-0.3917463269", "legs.lambda": "-292.8297258", "legs.power": "-174.0207015"}),
    Case("walker_wheel", "0 1 3", {"p.x": "0 0.1347307407 0.601461804"}),
    Case("walker_ball", "1", {
        "ball.X'": "0.4", "ball.Y'": "-0.1", "f.wx'": "-6.930357606", "f.wy'": "6.577689729", "f.wz'": "0.2836623259",
        "ground.lambda1": "80.90947279", "ground.lambda2": "76.73353187", "ground_contact.lambda": "542.6140955",
        "forward.power + sideways.power": "43.91969973"}, {"f.wx": 0.1, "f.wy": 0.4, "f.wz": 0.2}),
    Case("walker_ball", "0 1 3", {
        "ball.X": "0 0.1340903829 0.6085343457", "ball.Y": "0 0.1486536971 0.01446928454",
        "ball.WX": "0 . -0.02097116552", "ball.WY": "0 . 0.1062408529", "ball.WZ": "0 . -0.01105451917"}),
    Case("car", "0 2 5", {
        "p.x": "0 10.7031549 26.94220871", "p.y": "0 2.715017542 16.55067434", "p.th": "0 0.6358758869 0.154269274"}),
    Case("ball_on_turntable", "0 3", {
        "f.x": "0.3 0.8464276305", "f.y": "0.1 0.3268475933", "ball.X''": "0.05714285714", "ball.Y''": "0.1142857143",
        "ball.WX": "7 14.80610901", "ball.WY": "4 7.240679905", "ball.WZ": "4 4", "motor.lambda": "0.01428571429",
        "motor.power": "0.02857142857"}),
    Case("ellipsoid_on_turntable", "0 1", {
        "pebble.X": "0.2 -0.1624780921", "pebble.Y": "0.1 0.2532426521", "pebble.Z": "0.1573556941 0.1588603262",
        "pebble.X'": "-0.1768180167", "pebble.Y'": "0.1915222262", "pebble.Z'": "0.03826864764",
        "pebble.X''": "1.608741951", "pebble.Y''": "1.184862305", "pebble.Z''": "-0.9832425227",
        "pebble.WX": "0.5 -0.4469815842", "pebble.WY": "-0.3 1.508659603", "pebble.WZ": "1 0.9611926377",
        "motor.lambda": "0.1421618657", "motor.power": "0.2132427985",
        "road.lambda1": "3.217483903", "road.lambda2": "2.36972461", "road_contact.lambda": "17.65351495",
        "total.T + total.V - 1.5*total.LZ - 1.125 + 2.25": "2.944657819 2.944657819"}),
    Case("rolling_disc", "0 1 3", {
        "c.x": "0 1.816717593 -0.3521677897", "c.y": "0 -0.7313041398 -2.975161956", "c.ps": "0.3 -1.10756316",
        "lean.th": "0.2 0.2035733314 0.2608261236", "spin.th": "0.1 5.10346995", "c.x'": "1.991583073",
        "c.y'": "0.5647745257", "c.x''": "0.5247900122", "c.y''": "-1.657811976", "c.ps''": "-0.816271076",
        "lean.th''": "6.506745012", "spin.th''": "0.04782692766",
        "total.T + total.V": "8.035726245 8.035726245 8.035726245",
        "road.lambda1*cos(c.ps) + road.lambda2*sin(c.ps)": "0.01143411007",
        "road.lambda2*cos(c.ps) - road.lambda1*sin(c.ps)": "-1.738854325"}),
    Case("rolling_disc", "0 2", {"lean.th": "0.2 0.2", "lean.th''": "0", "c.ps'": "-1.5 -1.5"}, {
        "c.ps'": -1.5, "lean.th'": 0, "spin.th'": 2.0159681729}),
    Case("sleigh", "0 1 5 20", {
        "p.x'*cos(p.th) + p.y'*sin(p.th)": "-1 . . 1.215781642",
        "p.x": "0 -0.2840490587 -0.1202392837", "p.y": "0 -0.3378426095 -4.313788505",
        "p.th": "0.4 2.66529828 5.068031453", "p.x''": "1.102224323", "p.y''": "-1.162543673", "p.th''": "1.764705882",
        "blade.lambda": "-2.117647059"}),
    Case("knife_edge", "0 1 3", {"p.x": "0 0.874443899 0.1971198586", "p.y": "0 0.8679729222 3.224357266"}),
    Case("knife_edge", "0", {
        "p.x''": "2.060115992", "p.y''": "1.535664309", "p.th''": "0", "edge.lambda": "-1.749880155"}, {
        "p.th": 0.5, "p.x'": 0.3 * np.cos(0.5), "p.th'": 1.2}),
    Case("rattleback", "0 0.2 0.5 1 2 5", {
        "f.z - 0.01*cos(f.al)*cos(f.be)": "0.01007695346",
        "table.lambda1": "-0.4527226862", "table.lambda2": "0.3806163912",
        "table_contact.lambda": "8.30480597",
        "f.al'*sin(f.be) + f.ga'": "-5 -5.075802882 -3.968432521 -3.117543537 -0.8846581892 4.164246049"}, motion=1e-5),
    Case("rattleback", "0 0.2 0.5 1 2 5", {
        "f.al'*sin(f.be) + f.ga'": "5 5.217041593 5.27486978 5.23933971 5.0962125 4.308877333"}, {
        "f.ga'": 5}, motion=1e-5),
    Case("snakeboard", "0.4 0.7 1.2", {
        "p.x": "0 -0.001507591656 -0.01264675142", "p.y": "0 -1.570237469e-06 -0.0001155029465",
        "p.th": "0 0.002153696924 0.01727954346", "p.x''": "-0.02514241867", "p.th''": "0.02747964701",
        "ps.th''": "-2.008597055", "ph.th''": "-0.8608273091", "rear_axle.lambda": "0.3532073822",
        "fore_axle.lambda": "-0.3532073822", "swing.lambda": "-0.1426404533", "steer.lambda": "-0.002238151004"}),
    Case("planetary", "0 0.01", {
        "s.th''": "4467.005076", "p.th''": "-3350.253807", "c.th''": "1340.101523", "r.th''": "0",
        "inner.lambda": "-51.77664975", "outer.lambda": "-41.72588832", "held.lambda": "2.920812183",
        "3*s.th - 10*c.th": "0 0"}),
    Case("atwood", "0 1", {
        "a.x''": "0.981 0.981", "b.x''": "-0.981", "p.th''": "9.81", "left.lambda": "-26.487",
        "right.lambda": "-21.582", "a.x": "1 1.4905"}),
    Case("pulley_block", "0 1", {
        "one.x''": "-3.924", "two.x''": "1.962", "line.lambda": "-13.734", "two.x": "2 2.981"}),
    Case("cam", f"0 {(np.pi - 0.8) / 30}", {
        "rod.x''": "6.270360384", "profile.lambda": "20.88997393 50.243", "motor.lambda": "0.1498555004 0",
        "motor.power": "4.495665011 0"}),
    Case("cam", "0", {"profile.lambda": "0"}, {"shaft.th": np.pi}, {
        "w": np.sqrt((0.3 * 9.81 + 2000 * 0.02 + 10) / 0.003)}),
    Case("appell", "0 1", {
        "p.x": "0 1.68261745", "p.y": "0 2.243489933", "p.z": "0 -4.006232023", "p.x''": "2.765234899",
        "p.y''": "3.686979866", "p.z''": "-6.583892617 -6.583892617", "wheels.lambda": "13.8261745"}),
    Case("chaplygin_sphere", "0 1 2", {
        "ball.X": "0 0.114830558423 0.210306656646", "ball.Y": "0 -0.270812842207 -0.554066051682",
        "f.wx": "3 2.72282208818 1.61452611158", "f.wy": "1 3.14843562937 3.6498044266",
        "f.wz": "2 1.70806980993 0.711340029948"}),
    Case("roller_racer", "0 1 3", {
        "p.x": "0 0.216964864984 0.92619977278", "p.y": "0 0.0900976022534 0.206896524454",
        "p.th": "0 0.472754243399 0.687015817297", "p.y''": "0.15", "p.th''": "1.5", "rear.lambda": "-0.075",
        "fore.lambda": "0.765", "arms.lambda": "0.0825"}),
    Case("tippe_top", "0 0.1 0.5 1 2", {
        "1 - 2*(f.e1^2 + f.e2^2)": f"{np.cos(0.1)} 0.999547006643 0.967398030561 -0.30304022192 -0.99944425473",
        "table.lambda": "0.19604013746644722 0.1986817222 0.189044288 0.2208653647 0.1962027079",
        "top.X": "0 -0.00716783918143 -0.0378367906061 -0.0766387990553 -0.146563091077"}, motion=1e-6),
    Case("satellite_mast", "0 1 4", {
        f"total.{x}": "constant" for x in ("PX", "PY", "PZ", "LX", "LY", "LZ")}),
    Case("spring_servo", "0 0.4", {
        "q.x": "0 0.1864078172", "p.x": "0 0.07456312688", "p.x'": ". 0.08696586107", "law.lambda": ". -4.026408851",
        "law.power": ". -0.3501601128"}),
    Case("crane_path", "0 0.7 1.5", {
        "rail.x": ". 0.3522590544 0.5529112947", "hoist.l": ". 2.61092033 2.95373744",
        "lean.th": ". 0.0625148869 0.08306994078",
        "rail.x'": ". 0.415952688", "hoist.l'": ". -0.1234680938", "lean.th'": ". 0.07814608101",
        "rail.x''": ". -0.3316812152", "hoist.l''": ". 1.578107903", "lean.th''": ". -0.1005550656",
        "path.lambda1": ". -11.7873658 -19.10875193", "path.lambda2": ". -77.75962588 -95.55472285",
        "path.lambda1*rail.x'": ". -4.90298649", "path.lambda2*hoist.l'": ". 9.600832783"}),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
def test_cases(case: Case) -> None:
    m = da.load(FOLDER / f"{case.file}.lsd")
    times = [float(x) for x in case.times.split()]
    span = (times[0], max(times[-1], times[0] + 1e-3))
    exact = {"rtol": 1e-11, "atol": 1e-13}
    mo = m.simulate(span, start={**m.start, **case.start}, given=case.given, t_eval=times, **exact)
    for formula, values in case.told.items():
        found = mo[formula]
        if values == "constant":
            assert np.ptp(found) < 1e-10, formula
            continue
        for k, value in enumerate(values.split()):
            if value != ".":
                assert found[k] == pytest.approx(float(value), rel=case.motion if k else 1e-8, abs=1e-9), (formula, k)
    if case.balanced:
        gain = mo.energy() - mo.energy()[0] - mo.work()
        assert np.abs(gain).max() < 1e-8 * max(1.0, np.abs(mo.energy()).max())
    assert mo.quality.closure is None or mo.quality.closure < 1e-10


#: Accelerations, reactions and powers where a state off the course of the file is given; what is not named is zero.
STATES = [
    ("walker_wheel", 1.0, {"roll_of.ph": 0.05, "legs.s": 0.2, "p.x'": 0.4, "roll_of.ph'": 0.4, "legs.s'": 0.1},
     [7.797376078, 7.797376078, 0.1620906918], {"ground.lambda": 98.42751022, "steps.lambda": 124.4187638}),
    ("car", 1.0, {"p.th": 0.1, "p.x'": 5 * np.cos(0.1), "p.y'": 5 * np.sin(0.1),
                  "p.th'": 5 * np.tan(0.2 * np.sin(1)) / 2.6},
     [0.4516526484, 1.687184964, 0.254180631], {"rear.lambda": 1076.71614, "front.lambda": 1267.612137}),
]  # fmt: skip


@pytest.mark.parametrize(("file", "t", "state", "accelerations", "outputs"), STATES, ids=[x[0] for x in STATES])
def test_states(file, t, state, accelerations, outputs):
    m = da.load(FOLDER / f"{file}.lsd")
    about = dynamics_of(m.layout())
    values = {ex.symbol(x): 0.0 for x in about.state.names} | {ex.TIME: t}
    values |= {ex.symbol(x): v for x, v in {**m.given, **state}.items()}
    asked = [*about.accelerations(), *about.solved([about.outputs[name] for name in outputs])]
    assert ex.evaluate(asked, values) == pytest.approx([*accelerations, *outputs.values()], rel=1e-8)


def test_the_plane_of_foucault_turns_clockwise():
    """By Omega sin(latitude) t = 87.51 degrees between two largest elongations; the rest is centrifugal."""
    m = da.load(FOLDER / "foucault.lsd")
    start = {"wire.x": 0.02, "wire.y": 0.0, "wire.x'": 0.0, "wire.y'": -0.0002 * np.sin(np.radians(48.85))}
    mo = m.simulate((0, 206), start=start, t_eval=[2.837024, 205.683825], rtol=1e-10, atol=1e-13)
    turned = np.degrees(np.arctan2(mo["wire.y"], mo["wire.x"]))
    assert (turned[1] - turned[0] + 90) % 180 - 90 == pytest.approx(-87.572, abs=0.01)


def test_a_disc_that_spins_on_its_edge_stands_above_its_critical_rate():
    """Stable iff ps'^2 > 4 g/(5 r)."""
    for factor, stable in ((0.99, False), (1.01, True)):
        rates = {"c.ps'": float(factor * np.sqrt(4 * 9.81 / 2.5)), "spin.th'": 0, "lean.th": 0, "lean.th'": 0}
        found = da.load(FOLDER / "rolling_disc.lsd").linearize(rates).eigenvalues()
        assert (found.real.max() < 1e-2) == stable  # zeros that are defective come out as roots of rounding


def test_a_car_whose_speed_is_kept_follows_its_front_wheels():
    m = da.load(FOLDER / "car.lsd")
    m.constrain("p.x'*cos(p.th) + p.y'*sin(p.th) = 3", name="cruise")
    mo = m.simulate((0, 5), start={"p.x'": 3}, t_eval=[0, 5], rtol=1e-11, atol=1e-13)
    assert [mo[x][-1] for x in ("p.x", "p.y", "p.th")] == pytest.approx(
        [14.25453199, 4.06549934, 0.1665237918], rel=1e-7
    )


def test_a_length_that_follows_the_angle_pumps_no_swing():
    """(l^2 th')^2/2 + g times the integral of l^3 sin(th) is constant, so the amplitude comes back."""
    text = (FOLDER / "swing.lsd").read_text()
    m = da.loads(text.replace("0.15 * sin(2 * sqrt(9.81 / 2.5) * t)", "0.15 * sin(2 * swing.th)"))
    mo = m.simulate((0, 12), start={"swing.th": 0.3}, rtol=1e-11, atol=1e-13)
    nodes, weights = np.polynomial.legendre.leggauss(30)
    th = mo["swing.th"]
    along = th[:, None] * (nodes + 1) / 2
    weight = ((2.5 + 0.15 * np.sin(2 * along)) ** 3 * np.sin(along)) @ weights * th / 2
    kept = (mo["r.l"] ** 2 * mo["swing.th'"]) ** 2 / 2 + 9.81 * weight
    assert np.ptp(kept) < 1e-9 * kept[0]
    assert np.abs(mo["legs.power"]).max() > 1


def test_a_stone_on_a_contact_stops_where_friction_has_eaten_its_speed():
    text = (FOLDER / "sliding_point.lsd").read_text()
    m = da.loads(
        text.replace("constrain p.z = 0 by coulomb(0.3, p.x', p.y')", "contact p.z >= 0 friction 0.3 slip p.x', p.y'")
    )
    mo = m.simulate((0, 3))
    assert mo.contacts.times()["plane.sticks"] == pytest.approx([5 / (0.3 * 9.81)], rel=1e-7)
    assert np.hypot(mo["p.x"][-1], mo["p.y"][-1]) == pytest.approx(4.247366633, rel=1e-7)


@pytest.mark.parametrize(("file", "kappa"), [("servo_discs", np.sqrt(0.4)), ("sperry", 0.8975456071), ("sleigh", 1)])
def test_coupling_numbers(file, kappa):
    """The smallest cosine between what is asked and what is pushed."""
    assert da.load(FOLDER / f"{file}.lsd").coupling().kappa == pytest.approx(kappa, rel=1e-9)


def test_a_follower_leaves_a_cam_that_turns_too_fast():
    """Where its contact force m (y'' + g) + k y + F vanishes."""
    text = (FOLDER / "cam.lsd").read_text()
    m = da.loads(text.replace("constrain rod.x =", "contact rod.x >="))
    opens = {}
    for w in (130, 140):
        start = {"shaft.th": 0.8, "rod.x": 0.01 * (1 - np.cos(0.8)), "rod.x'": 0.01 * w * np.sin(0.8)}
        opens[w] = m.simulate((0, 0.03), start=start, given={"w": w}).contacts.times().get("profile.opens")
    assert opens[130] is None
    lost = np.arccos(-(0.3 * 9.81 + 20 + 10) / (0.003 * 140**2 - 20))
    assert opens[140][0] == pytest.approx((lost - 0.8) / 140, rel=1e-7)


@pytest.mark.parametrize(
    ("file", "contact", "why"),
    [
        ("sliding_point", "3 - p.x", "'plane' slides in two directions"),
        ("spring_servo", "1 - p.x", "hidden conditions beside"),
    ],
)
def test_what_contacts_would_disturb_is_refused(file, contact, why):
    m = da.loads((FOLDER / f"{file}.lsd").read_text() + f"contact {contact} >= 0 as wall ;")
    with pytest.raises(da.ModelError, match=why):
        m.simulate((0, 0.1))


@pytest.mark.filterwarnings("ignore:'sleigh'")
def test_a_start_off_the_conditions_moves_and_says_so():
    """Speeds as people write them: the blade takes what is left over."""
    mo = da.load(FOLDER / "sleigh.lsd").simulate((0, 0.1), start={"p.th": 0.4, "p.x'": -0.921061, "p.y'": -0.389418})
    assert np.abs(mo["p.y'*cos(p.th) - p.x'*sin(p.th)"]).max() < 1e-12
    assert "moved" in mo.message
    with pytest.raises(da.SimulationError, match="contradicts itself"):
        da.load(FOLDER / "sleigh.lsd").simulate((0, 0.1), start={"p.th": 0.4, "p.x'": -0.9, "p.y'": 0.5})


def test_the_wheels_of_ackermann_turn_about_one_centre():
    """Wheelbase 2.6, track 1.5, radius 8: cot outer - cot inner = track/wheelbase."""
    m = da.Mechanism("axle")
    for side in ("inner", "outer"):
        m.join(da.earth, m.body(side, inertia=[1, 1, 1]), da.revolute("z"), name=side)
    m.ackermann("inner.th", "outer.th", 1.5, 2.6)
    mo = m.simulate((0, 0.01), start={"inner.th": np.radians(19.72888399)})
    assert np.degrees(mo["outer.th"][0]) == pytest.approx(16.54894085, rel=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
@pytest.mark.filterwarnings("ignore:contacts")
def test_every_formalism_tells_the_same_accelerations_and_names_all_reactions(path):
    m = da.load(path)
    mo = m.simulate((0, 1e-3))
    state = {ex.symbol(x): float(mo[x][0]) for x in mo.names} | {ex.symbol(x): v for x, v in m.given.items()}
    wanted = None
    for formalism in formalism_names():
        eq = m.equations(formalism)
        found = np.array(ex.evaluate(list(eq.accelerations), state | {ex.TIME: 0.0}), dtype=float)
        wanted = found if wanted is None else wanted
        assert np.abs(found - wanted).max() < 1e-9 * (1 + np.abs(wanted).max())
        text = str(eq.show("scalar"))
        assert all(one.name in text for one in m.constraints)


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_commands(path, tmp_path):
    until = ["--until", "0.1", "--out", str(tmp_path / "motion.csv")]
    for command, options in (("check", []), ("equations", []), ("simulate", until)):
        told = CliRunner().invoke(app, [command, str(path), *options])
        assert told.exit_code == 0, told.output


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_every_machine_tells_a_story_and_has_a_case(path):
    text = path.read_text()
    assert text.startswith("(*")
    assert len(text.split("*)")[0]) > 60
    checked = lsd.check(lsd.reading.read_source(path))
    lsd.elaborate(checked, da.Mechanism())
    assert checked.diagnostics == ()
    assert path.stem in {case.file for case in CASES}
    assert f"`{path.stem}`" in (FOLDER.parents[1] / "docs" / "constraints-gallery.md").read_text()
