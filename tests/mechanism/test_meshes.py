"""Meshes: every format gives the same triangles, exact inertias, sentences for files that are broken."""

from __future__ import annotations

import json
import struct
import warnings

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanism.meshes import read_mesh

CORNERS = np.array([[x, y, z] for x in (0, 2) for y in (0, 3) for z in (0, 5)], dtype=float)
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
FACES = np.array([f for a, b, c, d in QUADS for f in ((a, b, c), (a, c, d))])


def stl(points, faces):
    records = b"".join(struct.pack("<12fH", 0, 0, 0, *points[f].ravel(), 0) for f in faces)
    return bytes(80) + struct.pack("<I", len(faces)) + records


def stl_text(points, faces):
    rows = "".join("vertex {} {} {}\n".format(*p) for f in faces for p in points[f])
    return f"solid x\n{rows}endsolid x\n".encode()


def obj(points, faces):
    rows = ["v {} {} {}".format(*p) for p in points] + ["f {} {} {}".format(*(f + 1)) for f in faces]
    return "\n".join(rows).encode()


def glb(points, faces, **node):
    """Two nodes: the mesh stands on one that turns it about z by a quarter and shifts it."""
    block = np.asarray(points, "<f4").tobytes() + np.asarray(faces, "<u2").tobytes()
    split = 12 * len(points)
    text = {
        "scenes": [{"nodes": [0]}],
        "nodes": [{"children": [1], **node}, {"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"byteLength": len(block)}],
        "bufferViews": [
            {"buffer": 0, "byteLength": split},
            {"buffer": 0, "byteOffset": split, "byteLength": 6 * len(faces)},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(points), "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 3 * len(faces), "type": "SCALAR"},
        ],
    }  # fmt: skip
    head = json.dumps(text).encode()
    head += b" " * (-len(head) % 4)
    block += bytes(-len(block) % 4)
    chunks = struct.pack("<I4s", len(head), b"JSON") + head + struct.pack("<I4s", len(block), b"BIN\0") + block
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


@pytest.mark.parametrize(("name", "write"), [("a.stl", stl), ("b.stl", stl_text), ("c.obj", obj), ("d.glb", glb)])
def test_formats_give_the_same_solid(name, write, tmp_path):
    (tmp_path / name).write_bytes(write(CORNERS, FACES))
    mesh = da.Mesh.read(tmp_path / name, 0.1)
    assert mesh.closed
    assert np.isclose(mesh.volume, 0.030)
    np.testing.assert_allclose(mesh.centre, [0.1, 0.15, 0.25])
    told = mesh.solid(mass=6)
    np.testing.assert_allclose(told["inertia"], np.diag([0.17, 0.145, 0.065]), atol=1e-12)
    assert np.isclose(mesh.solid(density=200)["mass"], 6)


def test_numbers_of_glb_may_begin_inside_of_a_view(tmp_path):
    """An accessor that leaves out the first points of its view reads the same as a file without them."""
    more = glb([[9, 9, 9], [8, 8, 8], *CORNERS], FACES)
    count, size = f'"count": {len(CORNERS) + 2}'.encode(), len(CORNERS)
    inside = f'"byteOffset": 24, "count": {size}'.encode()
    head, length = more[20 : 20 + struct.unpack("<I", more[12:16])[0]], struct.unpack("<I", more[12:16])[0]
    told = head.rstrip().replace(count, inside)
    told += b" " * (-len(told) % 4)
    whole = more[20 + length :]
    body = struct.pack("<I4s", len(told), b"JSON") + told + whole
    (tmp_path / "inside.glb").write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body)
    (tmp_path / "plain.glb").write_bytes(glb(CORNERS, FACES))
    inside_mesh, plain_mesh = (da.Mesh.read(tmp_path / name) for name in ("inside.glb", "plain.glb"))
    np.testing.assert_array_equal(inside_mesh.points, plain_mesh.points)


def test_nodes_of_glb_are_placed(tmp_path):
    half = 2**-0.5
    (tmp_path / "a.glb").write_bytes(glb(CORNERS, FACES, rotation=[0, 0, half, half], translation=[10, 0, 0]))
    mesh = da.Mesh.read(tmp_path / "a.glb")
    np.testing.assert_allclose([mesh.points.min(0), mesh.points.max(0)], [[7, 0, 0], [10, 2, 5]], atol=1e-6)


def test_inertia_of_random_hulls_is_that_of_their_tetrahedra():
    """Against sums over tetrahedra from one corner, each with its closed form."""
    from scipy.spatial import ConvexHull

    rng = np.random.default_rng(3)
    for _ in range(10):
        points = rng.normal(size=(12, 3))
        hull = ConvexHull(points)
        faces = hull.simplices.copy()
        inner = points.mean(axis=0)
        for k, (a, b, c) in enumerate(faces):
            if np.dot(np.cross(points[b] - points[a], points[c] - points[a]), points[a] - inner) < 0:
                faces[k] = a, c, b
        told = da.Mesh(points, faces).solid(density=2.0)
        volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
        for f in faces:
            corners = np.array([inner, *points[f]])
            v = abs(np.linalg.det(corners[1:] - corners[0])) / 6
            volume += v
            first += v * corners.mean(axis=0)
            total = corners.sum(axis=0)
            second += v / 20 * (np.outer(total, total) + sum(np.outer(p, p) for p in corners))
        centre = first / volume
        second -= volume * np.outer(centre, centre)
        np.testing.assert_allclose([told["mass"] / 2, hull.volume], volume)
        np.testing.assert_allclose(told["centre"], centre, atol=1e-12)
        np.testing.assert_allclose(told["inertia"], 2 * (np.trace(second) * np.eye(3) - second), atol=1e-12)


def test_open_and_empty_meshes_are_told():
    with pytest.warns(UserWarning, match=r"is open \(3 edges"):
        da.Mesh(CORNERS, FACES[1:]).solid(mass=1)
    with pytest.raises(da.ModelError, match="encloses no volume"):
        da.Mesh(CORNERS, np.array([[0, 1, 3], [0, 3, 1]])).solid(mass=1)  # a leaf with two sides
    with pytest.raises(da.ModelError, match="mass or a density"):
        da.Mesh(CORNERS, FACES).solid()


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.ply", b"", "STL, OBJ, GLB, DAE and MSH, not from '.ply'"),
        ("a.stl", b"nothing here", "has no faces"),
        ("a.obj", b"v 0 0 0\nf 1 2 3", "points that are not there"),
        ("a.obj", b"v 0 0 x", "damaged"),
        ("a.obj", b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3", "points that are not there"),
        ("a.glb", b"glTF" + bytes(30), "no GLB file of version 2"),
        ("a.glb", glb(CORNERS, FACES, children=[0]), "in a circle"),
        ("a.glb", glb(CORNERS, FACES).replace(b'"count": 8', b'"count": 9'), "numbers that it does not have"),
    ],
)
def test_broken_files_end_with_a_sentence(name, data, said, tmp_path):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(da.ModelError, match=said):
        da.Mesh.read(tmp_path / name)


def test_damage_at_random_is_a_sentence_or_a_mesh(tmp_path):
    rng = np.random.default_rng(8)
    for write, name in ((stl, "a.stl"), (obj, "a.obj"), (glb, "a.glb")):
        whole = np.frombuffer(write(CORNERS, FACES), np.uint8)
        for _ in range(60):
            data = whole.copy()
            places = rng.integers(0, len(data), 4)
            data[places] = rng.integers(0, 256, 4)
            cut = data[: rng.integers(1, len(data))] if rng.random() < 0.3 else data
            (tmp_path / name).write_bytes(cut.tobytes())
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    read_mesh(tmp_path / name, "shape")
            except da.ModelError:
                pass


PROGRAM = """
let part = body mass = 1, iframe = 0, inertia = [1, 1, 1],
  shape = [0, 0, 1] @ mesh(`parts/box.stl`, 0.1), colour = [1, 0, 0] end ;
join earth and part.frame with link(x) dof = [x, 0, 0] end as rail ;
"""


def test_meshes_in_lsd(tmp_path, monkeypatch):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/box.stl").write_bytes(stl(CORNERS, FACES))
    (tmp_path / "a.lsd").write_text(PROGRAM)
    m = da.load(tmp_path / "a.lsd")
    (shape,) = m.bodies["part"].shapes
    np.testing.assert_allclose(shape.mesh.points.max(axis=0), [0.2, 0.3, 0.5])
    monkeypatch.chdir(tmp_path)
    assert da.loads(m.to_lsd()) == m
    for wrong, said in (
        ("`gone.stl`", "there is no mesh gone.stl"),
        ("`../a.stl`", "lies beside the program"),
        ("`/etc/x.stl`", "lies beside the program"),
        ("parts", "a file in back quotes"),
        ("`parts/box.stl`, k", "is a number"),
        ("`a.lsd`", "STL, OBJ, GLB, DAE and MSH"),
    ):
        with pytest.raises(da.LsdError, match=said):
            da.loads(PROGRAM.replace("`parts/box.stl`, 0.1", wrong))


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    (tmp_path / "out.stl").write_bytes(stl(CORNERS, FACES))
    (tmp_path / "in").mkdir()
    (tmp_path / "in/box.stl").symlink_to(tmp_path / "out.stl")
    (tmp_path / "in/a.lsd").write_text(PROGRAM.replace("parts/", ""))
    with pytest.raises(da.LsdError, match="leads out of the folder"):
        da.load(tmp_path / "in/a.lsd")
