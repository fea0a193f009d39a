"""What a file, a link, a folder or another thread could do behind a user's back."""

import copy
import gc
import os
import pickle
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import dalembert as da
from dalembert import expr as ex
from dalembert import limits
from dalembert.cli import app
from dalembert.codegen import cache
from dalembert.files import write_text

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, devices and modes of POSIX")


def pendulum():
    m = da.Mechanism("pendulum")
    rod = m.body("rod", mass=2, centre=[0, 0, -0.5], inertia=[1, 1, 1])
    m.join(da.earth, rod, da.revolute("x"), name="pivot")
    m.gravity = [0, 0, -9.81]
    return m


@posix
def test_a_link_is_followed_and_what_is_no_file_is_refused(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    link.symlink_to(real)
    write_text(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    (tmp_path / "nothing").symlink_to("/dev/null")
    for place in (tmp_path / "pipe", tmp_path, "/dev/null", tmp_path / "circle", tmp_path / "nothing"):
        with pytest.raises(da.DalembertError, match="no regular file"):
            write_text(place, "x")
    assert (tmp_path / "circle").is_symlink()
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert stat.S_ISFIFO(os.stat(tmp_path / "pipe").st_mode)


@posix
def test_what_a_shell_has_redirected_is_not_replaced(tmp_path):
    """/dev/stdout is then a regular file, with the words of others in it."""
    (tmp_path / "link.json").symlink_to("/dev/stdout")
    (tmp_path / "second.json").symlink_to("link.json")
    kept = tmp_path / "kept"
    program = (
        "import sys\nfrom dalembert.files import write_text\nfrom dalembert.errors import DalembertError\n"
        "print('before', flush=True)\n"
        "for place in sys.argv[1:]:\n"
        "    try:\n        write_text(place, 'x')\n"
        "    except DalembertError as error:\n        print('regular file' in str(error), flush=True)\n"
    )
    places = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link.json", "./second.json", tmp_path / "link.json"]
    with kept.open("w") as shell:
        subprocess.run([sys.executable, "-c", program, *places], stdout=shell, cwd=tmp_path, check=True)
    assert kept.read_text().split() == ["before", *["True"] * len(places)]


def test_a_file_is_no_folder_and_a_dash_no_file(tmp_path, monkeypatch):
    """Every command whose --out is a folder or a name; text goes to standard output instead, on request."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_text("dear")
    program = str(Path(__file__).parents[1] / "examples" / "pendulum.lsd")
    asked = {
        "codegen": [["codegen", program, "--lang", "c"], "out[0]"],
        "equations": [["equations", program], "hinge.th"],
        "export": [["export", program, "--to", "json"], '"hinge"'],
        "import": [["import", str(Path(program).parent / "robots" / "arm.urdf")], "join"],
        "simulate": [["simulate", program, "--until", "1", "--points", "3"], "t,hinge.th,hinge.th'\n0,"],
    }
    for words, said in asked.values():
        found = CliRunner().invoke(app, [*words, "--out", "-"])
        assert found.exit_code == 0, found.output
        assert said in found.stdout
    pictures = [["draw", program], ["report", program], ["plot", program, "--until", "1"], ["video", program]]
    several = [["codegen", program, "--program"], ["codegen", program, "--lang", "fmi2"]]
    for words in (*pictures, *several):
        found = CliRunner().invoke(app, [*words, "--out", "-"])
        assert "cannot write -:" in found.output + str(found.exception) or words in several, words
        assert found.exit_code != 0, words
    swept = ["sweep", program, "--vary", "l=1:2:2", "--measure", "final(t)", "--until", "0.1"]
    for words in (swept, asked["codegen"][0], several[0]):
        found = CliRunner().invoke(app, [*words, "--out", "taken"])
        assert "cannot make the folder taken: it is a file" in str(found.exception), words
    assert [(one.name, one.read_text()) for one in tmp_path.iterdir()] == [("taken", "dear")]


def test_a_name_inside_a_file_is_no_path(tmp_path, monkeypatch):
    """What is written without --out is called after the file that was asked for, whatever the machine calls itself."""
    machine = pendulum()
    machine.name = "../../elsewhere"
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "m.json").write_text(machine.to_json())
    monkeypatch.chdir(inner)
    for words in (["--program"], ["--lang", "fmi2"], ["--lang", "fmi3"]):
        found = CliRunner().invoke(app, ["codegen", "m.json", *words])
        assert found.exit_code == 0, found.output
    assert CliRunner().invoke(app, ["draw", "m.json"]).exit_code == 0
    assert {one.name for one in inner.iterdir()} == {"m.json", "m", "m.fmu", "m.png"}
    assert [one.name for one in tmp_path.iterdir()] == ["a"]
    assert [one.name for one in (tmp_path / "a").iterdir()] == ["b"]


@posix
def test_use_reads_beside_the_program_only(tmp_path, monkeypatch):
    project, other = tmp_path / "project", tmp_path / "other"
    (project / "sub").mkdir(parents=True)
    other.mkdir()
    (other / "secret.lsd").write_text("root:x:0:0")
    (other / "part.lsd").write_text("let a = 1 ;")
    (project / "link.lsd").symlink_to(other / "secret.lsd")
    (project / "good.lsd").write_text("let b = 2 ;")
    (project / "sub" / "up.lsd").write_text('use "../good.lsd" ;')
    for name in ("../other/secret.lsd", f"{other}/secret.lsd", "link.lsd"):
        main = project / "main.lsd"
        main.write_text(f'use "{name}" ;')
        with pytest.raises(da.LsdError, match="leads out of the folder") as error:
            da.load(main)
        assert "root" not in str(error.value).replace(str(tmp_path), "")
    with pytest.raises(da.LsdError, match="leads out of the folder"):
        da.loads(f'use "{other}/secret.lsd" ;')
    (project / "main.lsd").write_text('use "sub/up.lsd" ; use "good.lsd" ;')
    da.load(project / "main.lsd")
    (project / "main.lsd").write_text('use "../other/part.lsd" ;')
    monkeypatch.setenv("DALEMBERT_USE", str(other))
    da.load(project / "main.lsd")


@posix
def test_code_is_loaded_from_the_users_own_folder_only(tmp_path, monkeypatch):
    made = []

    def make():
        made.append(1)
        return b"code"

    folder = tmp_path / "cache"
    monkeypatch.setenv("DALEMBERT_CACHE", str(folder))
    assert cache.remember("a", make) == cache.remember("a", make) == b"code"
    assert len(made) == 1
    assert not folder.stat().st_mode & 0o077
    # the entry of one key cannot stand for another, nor one with a digest that anybody can make
    cache.remember("b", lambda: b"other")
    a, b = (next(x for x in folder.glob("*.o") if x.read_bytes().endswith(end)) for end in (b"code", b"other"))
    a.write_bytes(b.read_bytes())
    assert cache.remember("a", make) == b"code"
    assert len(made) == 2
    # a folder that others can write is not used
    folder.chmod(0o777)
    assert cache.remember("a", make) == b"code"
    assert len(made) == 3


def test_code_that_does_not_load_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "remember", lambda key, make: b"no object code")
    assert pendulum().compile().mass_matrix([0.3])[0, 0] == pytest.approx(1.5)


def test_compiled_machines_are_copied_and_sent():
    c = pendulum().compile()
    expected = c.acceleration([0.3], [0.1])
    for other in (pickle.loads(pickle.dumps(c)), copy.deepcopy(c)):
        assert np.array_equal(other.acceleration([0.3], [0.1]), expected)


def test_the_collector_is_on_when_threads_have_built():
    """Pauses that overlap in any order: the collector comes back with the last."""
    assert gc.isenabled()
    inside, leave = threading.Event(), threading.Event()

    def first():
        with ex.uncollected():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=first)
    thread.start()
    inside.wait(10)
    with ex.uncollected():
        leave.set()
        thread.join()
        assert not gc.isenabled()
    assert gc.isenabled()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_of_a_compiling_process_compiles():
    from dalembert.codegen._target import compiling

    held, leave = threading.Event(), threading.Event()

    def hold():
        with compiling:
            held.set()
            leave.wait(0.3)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(10)
    child = os.fork()  # waits until the other thread has compiled
    if not child:
        got = compiling.acquire(timeout=5)
        os._exit(0 if got else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    thread.join()


def test_a_doubly_exponential_expression_ends_with_a_sentence():
    x = ex.symbol("x")
    for k in range(60):
        x = x * x + x if k % 2 else ex.sin(x) * x
    with limits.budget(seconds=0.5), pytest.raises(da.LimitError, match=r"to_sympy\(\) took longer"):
        ex.to_sympy(x)


@pytest.mark.parametrize("number", ["1e-999999999", "1e999999999", "1e-400", "1e400", "2e-324"])
def test_numbers_beyond_the_range_are_refused(number):
    with pytest.raises(da.LsdError, match="beyond the range of numbers"):
        da.loads(f"given m = {number} ;")
