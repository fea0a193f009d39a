"""The command line: results on standard output, faults on standard error, exit codes 0, 1, 2."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dalembert.cli import COMMANDS, app

ROOT = Path(__file__).parents[2]
SATELLITE = str(ROOT / "examples/satellite.lsd")
PENDULUM = str(ROOT / "examples/pendulum.lsd")


def run(*args):
    """As a user would: a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", "from dalembert.cli import main; main()", *args],
        capture_output=True,
        text=True,
        check=False,
    )


def call(*args):
    return CliRunner().invoke(app, list(args))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_an_example(name):
    result = call(name, "--help")
    assert result.exit_code == 0
    assert "Example: dalembert" in result.output


def test_help_imports_nothing_heavy():
    heavy = "numpy sympy scipy numba lark pygls matplotlib"
    code = f"import sys; from dalembert.cli import app; print([m for m in '{heavy}'.split() if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_check_says_what_it_saw():
    result = call("check", SATELLITE)
    assert result.exit_code == 0
    assert "4 bodies, 4 links, 9 coordinates" in result.output


def test_check_reports_faults_on_standard_error_with_exit_code_1(tmp_path):
    bad = tmp_path / "bad.lsd"
    bad.write_text("let b = body masse = 1 end ;\nlet c = ;")
    result = run("check", str(bad))
    assert result.returncode == 1
    assert result.stdout == ""
    assert "bad.lsd:1:14" in result.stderr
    assert "did you mean `mass`" in result.stderr
    data = json.loads(run("check", str(bad), "--format", "json").stdout)
    assert data["ok"] is False
    assert [d["line"] for d in data["diagnostics"]] == [1, 2]


def test_check_prints_a_program_that_reads_back(tmp_path):
    from dalembert import lsd

    printed = call("check", "--print", PENDULUM).stdout
    assert lsd.loads(printed) == lsd.load(PENDULUM)


def test_missing_files_and_wrong_usage():
    missing = run("names", "nowhere.lsd")
    assert missing.returncode == 1
    assert missing.stderr.startswith("cannot read nowhere.lsd")
    assert run("names").returncode == 2
    assert run("nonsense").returncode == 2


def test_names_in_three_formats():
    assert "> M0Io_4 = &s(-mu_4,&~(V0T_4_45) &* &~(V0T_4_45)) ;" in call("names", SATELLITE).stdout
    assert json.loads(call("names", SATELLITE, "--format", "json").stdout)["N"] == 4
    assert call("names", SATELLITE, "--format", "latex").stdout.startswith(r"\begin{align*}")


def test_format_prints_writes_and_checks(tmp_path):
    path = tmp_path / "a.lsd"
    path.write_text("let a=1;")
    assert call("format", str(path)).stdout == "let a = 1 ;\n"
    assert call("format", "--check", str(path)).exit_code == 1
    assert call("format", "--write", str(path)).exit_code == 0
    assert path.read_text() == "let a = 1 ;\n"
    assert call("format", "--check", str(path)).exit_code == 0


def test_the_version():
    assert call("--version").output.startswith("dalembert ")


def test_python_runs_the_package_as_the_command():
    done = subprocess.run([sys.executable, "-m", "dalembert", "-h"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "Usage: dalembert [OPTIONS]" in done.stdout


def test_simulate_writes_a_table_a_file_and_a_picture(tmp_path):
    shown = call("simulate", PENDULUM, "--until", "1")
    assert shown.exit_code == 0
    assert shown.stdout.split()[:2] == ["t", "hinge.th"]
    done = call("simulate", PENDULUM, "--until", "1", "--out", f"{tmp_path}/out/", "--plot", "--points", "11")
    assert done.exit_code == 0
    rows = (tmp_path / "out/pendulum.csv").read_text().splitlines()
    assert rows[0] == "t,hinge.th,hinge.th'"
    assert len(rows) == 12
    assert (tmp_path / "out/pendulum.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["pendulum.csv", "pendulum.png"]


def test_simulate_takes_parameters_and_start_from_the_command_line():
    def last(*settings):
        found = call("simulate", PENDULUM, "--until", "1", "--format", "json", *settings)
        return json.loads(found.stdout)["columns"]["hinge.th"][-1]

    assert last("--set", "m=3") == pytest.approx(last())
    assert last("--set", "l=4") != pytest.approx(last())
    assert last("--set", "hinge.th=0", "--set", "hinge.th'=0") == pytest.approx(0)


def test_simulate_refuses_unknown_names_and_bad_numbers():
    unknown = run("simulate", PENDULUM, "--set", "mm=3")
    assert unknown.returncode == 2
    assert "Did you mean 'm'" in unknown.stderr
    assert run("simulate", PENDULUM, "--set", "m").returncode == 2
    assert run("simulate", PENDULUM, "--until", "-1").returncode == 2


def test_simulate_says_which_value_is_missing(tmp_path):
    path = tmp_path / "free.lsd"
    path.write_text(
        "let b = body mass = m, iframe = 0, inertia = 0 end ;"
        "join earth and b.frame with link(x) dof = [x,0,0], force = [k,0,0] end ;"
    )
    result = run("simulate", str(path))
    assert result.returncode == 1
    assert "'k'" in result.stderr


def test_equations_as_data():
    data = json.loads(call("equations", PENDULUM, "--format", "json").stdout)
    assert data["coordinates"] == ["hinge.th"]
    assert len(data["mass_matrix"]) == 1


@pytest.mark.parametrize("level", ["vector", "matrix", "scalar"])
@pytest.mark.parametrize("format", ["text", "latex"])
def test_equations_at_every_level(level, format):
    result = call("equations", PENDULUM, "--formalism", "kane", "--level", level, "--format", format)
    assert result.exit_code == 0
    assert ("begin{" in result.stdout) == (format == "latex")


FOUR_BAR = str(ROOT / "examples" / "four_bar.lsd")


def test_equations_of_a_loop_are_those_of_the_closed_machine(tmp_path):
    text = call("equations", FOUR_BAR, "--formalism", "lagrange").stdout
    assert "closed by b" in text
    assert "b.Fx" in text
    assert "tree without" not in text
    data = json.loads(call("equations", FOUR_BAR, "--format", "json").stdout)
    assert data["constraints"]["multipliers"] == ["b.Mx", "b.My", "b.Fx", "b.Fy", "b.Fz"]
    assert len(data["constraints"]["matrix"]) == len(data["constraints"]["gamma"]) == 5
    assert "\\Lambda" in call("equations", FOUR_BAR, "--level", "matrix", "--format", "latex").stdout
    other = call("equations", FOUR_BAR, "--cut", "a", "--level", "vector").stdout
    assert "closed by a" in other


def test_the_suffix_decides_how_equations_are_written(tmp_path):
    for suffix, mark in ((".txt", "kane"), (".tex", "begin{align*}"), (".html", "<math"), (".json", '"mass_matrix"')):
        target = tmp_path / f"equations{suffix}"
        assert call("equations", PENDULUM, "--formalism", "kane", "--out", str(target)).exit_code == 0
        assert mark in target.read_text().lower()
    assert run("equations", PENDULUM, "--out", str(tmp_path / "equations.docx")).returncode == 2
    assert run("equations", PENDULUM, "--out", str(tmp_path / "e.tex"), "--format", "json").returncode == 2


def test_equations_in_chosen_speeds_and_absolute_coordinates():
    chosen = call("equations", PENDULUM, "--formalism", "kane", "--speeds", "w=2*hinge.th'")
    assert "w'" in chosen.stdout
    released = call("equations", PENDULUM, "--formalism", "kane", "--parametrisation", "absolute", "--level", "vector")
    assert "closed by hinge" in released.stdout
    assert "formulas used by Kane" in call("equations", PENDULUM, "--formalism", "kane", "--formulas").stdout


def test_equations_of_an_unknown_formalism_name_the_known_ones():
    result = run("equations", PENDULUM, "--formalism", "kanes")
    assert result.returncode == 1
    assert "kane" in result.stderr


def test_equations_go_to_a_file(tmp_path):
    target = tmp_path / "equations.txt"
    assert call("equations", PENDULUM, "--out", str(target)).exit_code == 0
    assert "hinge.th" in target.read_text()
    nowhere = run("equations", PENDULUM, "--out", str(tmp_path / "none" / "equations.txt"))
    assert nowhere.returncode == 1
    assert "cannot write" in nowhere.stderr


def test_a_picture_that_cannot_be_drawn_is_refused_with_the_suffixes_that_can(tmp_path):
    loop = str(ROOT / "examples/slider_crank.lsd")
    result = run("mobility", loop, "--curve", str(tmp_path / "curve.xyz"))
    assert result.returncode == 1
    assert ".png" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_driven_loop_without_balance_has_no_equilibrium(tmp_path):
    text = (ROOT / "examples/slider_crank.lsd").read_text()
    text = text.replace(
        "revolute(axis = [0, 0, 1]) as shaft", "link(th) dof = th || [0, 0, 1], effort = 20 - 2*th' end as shaft"
    )
    text = text.replace(
        "apply force value = [-50 * sin(10 * t), 0, 0], body = earth end on piston.frame ;", "gravity [0, -9.81, 0] ;"
    )
    driven = tmp_path / "driven.lsd"
    driven.write_text(text.split("start shaft")[0] + "start shaft.th = 0.5 ;")
    result = run("equilibria", str(driven), "--starts", "120")
    assert result.returncode == 0, result.stderr
    assert "no equilibrium" in result.stdout


def test_an_unknown_setting_lists_the_known_names():
    result = call("simulate", PENDULUM, "--set", "quux=3")
    assert result.exit_code == 2
    assert "'hinge.th'" in result.output


OPEN = """let rod = body mass = m, iframe = [0,0,-l], inertia = 0 end ;
let arm = body mass = 0, iframe = 0, inertia = 0 end ;
let hand = body iframe = 0 end ;
join earth and rod.frame with link(th) dof = th || [1,0,0] end ;
join rod.frame and arm.frame with link(x) dof = [x,0,0] end ;
join rod.frame and hand.frame with link(x) dof = [x,0,0] end ;
given m = 1 ;
"""


def test_check_says_what_has_no_number_yet(tmp_path):
    path = tmp_path / "open.lsd"
    path.write_text(OPEN)
    result = run("check", str(path))
    assert result.returncode == 0
    assert "remark: no number yet for l." in result.stderr
    assert "--set l=1" in result.stderr
    assert "body 'hand' has no mass and no inertia" in result.stderr
    assert "link 'arm' moves body 'arm', which has neither mass nor inertia" in result.stderr
    assert len(json.loads(call("check", str(path), "--format", "json").stdout)["remarks"]) == 3
    assert "remark" not in run("check", PENDULUM).stderr


def test_check_refuses_numbers_that_make_a_mass_negative(tmp_path):
    path = tmp_path / "light.lsd"
    path.write_text(OPEN.replace("m = 1", "m = -1"))
    result = run("check", str(path))
    assert result.returncode == 1
    assert "body 'rod' has the negative mass m = -1" in result.stderr


def test_advice_has_the_words_of_the_command_line(tmp_path):
    path = tmp_path / "open.lsd"
    path.write_text(OPEN)
    assert "--set l=1" in run("reactions", str(path)).stderr
    drawn = "let a = body mass = 1, iframe = 0 end ; join earth and a.frame with link(x) dof = [x,0,0],"
    path.write_text(f"{drawn} force = [t - x,0,0] end ;")
    assert "--t 0" in run("equilibria", str(path)).stderr


def test_the_list_of_commands_is_not_cut():
    from dalembert.cli import COMMANDS

    shown = run("--help").stdout
    assert all(short in shown for short in COMMANDS.values())
    assert "..." not in shown.partition("Commands:")[2]


def test_compare_is_a_verb_too():
    import dalembert as da

    assert da.load("examples/four_bar.lsd").compare(["kane", "lagrange"], states=2).disagreement < 1e-9


def test_minimal_equations_on_the_command_line():
    shown = run("equations", "examples/four_bar.lsd", "--independent", "ground.th", "--at", "ground.th=1.6").stdout
    assert "in ground.th alone" in shown
    assert "a.th := " in shown


def test_equations_open_definitions():
    found = call("equations", PENDULUM, "--formalism", "kane", "--level", "vector", "--open", "all")
    assert found.exit_code == 0, found.output
    assert "omega1 :=" not in found.stdout
    assert "defines no" in str(call("equations", PENDULUM, "--level", "vector", "--open", "nothing").exception)
