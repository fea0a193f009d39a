"""COLLADA meshes: the solid of a box is that of a box, wherever its nodes put it."""

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanism.meshes import Mesh

CORNERS = " ".join(f"{x} {y} {z}" for z in (0, 1) for y in (0, 1) for x in (0, 1))
QUADS = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]


def collada(faces, node="", unit=0.01, more=""):
    return f"""<?xml version="1.0"?>{more}
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimetre" meter="{unit}"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="f" count="24">{CORNERS}</float_array>
<technique_common><accessor source="#f" count="8" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>{faces}</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node>{node}<instance_geometry url="#g"/></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#w"/></scene></COLLADA>"""


INPUT = '<input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#s" offset="1"/>'


def written(quads):
    return " ".join(f"{k} 0" for quad in quads for k in quad)


POLYLIST = f'<polylist count="6">{INPUT}<vcount>4 4 4 4 4 4</vcount><p>{written(QUADS)}</p></polylist>'
POLYGONS = f'<polygons count="6">{INPUT}{"".join(f"<p>{written([quad])}</p>" for quad in QUADS)}</polygons>'
TRIANGLES = [t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))]
PLAIN = f'<triangles count="12">{INPUT}<p>{written(TRIANGLES)}</p></triangles>'
STRIPS = (
    f'<tristrips count="6">{INPUT}{"".join(f"<p>{written([(a, b, d, c)])}</p>" for a, b, c, d in QUADS)}</tristrips>'
)
#: Stretched to 2 x 3 x 4, turned by a right angle about z, moved; and mirrored.
PLACED = "<translate>10 0 0</translate><rotate>0 0 1 90</rotate><scale>2 3 4</scale>"
MIRRORED = "<matrix>0 -3 0 10  2 0 0 0  0 0 -4 0  0 0 0 1</matrix>"


@pytest.mark.parametrize("faces", [POLYLIST, POLYGONS, PLAIN, STRIPS])
@pytest.mark.parametrize(("node", "up"), [(PLACED, 1), (MIRRORED, -1)])
def test_a_box_weighs_as_a_box(faces, node, up, tmp_path):
    path = tmp_path / "box.dae"
    path.write_text(collada(faces, node))
    mesh = Mesh.read(path)
    assert mesh.closed
    solid = mesh.solid(density=1000.0)
    a, b, c = 0.03, 0.02, 0.04  # along x, y, z when it is turned
    assert solid["mass"] == pytest.approx(1000 * a * b * c, rel=1e-12)
    assert mesh.volume > 0  # a mirror turns the triangles over
    np.testing.assert_allclose(solid["centre"], [0.1 - a / 2, b / 2, up * c / 2], atol=1e-15)
    told = np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) * solid["mass"] / 12
    np.testing.assert_allclose(solid["inertia"], told, atol=1e-12 * told.max())


def test_an_open_box_is_told(tmp_path):
    path = tmp_path / "box.dae"
    path.write_text(collada(f'<triangles count="11">{INPUT}<p>{written(TRIANGLES[:-1])}</p></triangles>'))
    with pytest.warns(UserWarning, match="open"):
        Mesh.read(path).solid(mass=1.0)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (collada(PLAIN, more='<!DOCTYPE x [<!ENTITY a "aa">]>'), "entity"),
        (collada(PLAIN).replace('url="#g"', 'url="http://elsewhere/x.dae#g"'), "not in it"),
        (collada(PLAIN).replace("<node>", "<node><skew>1 1 1 1 1 1 1</skew>"), "skew"),
        (collada(PLAIN).replace('url="#w"', 'url="#v"'), "no faces"),
        (collada(POLYLIST.replace("<vcount>4", "<vcount>99")), "corners"),
        (collada(PLAIN.replace("<p>0", "<p>77")), "not there"),
        (collada(PLAIN, unit=0), "unit"),
        (
            collada(PLAIN)
            .replace('url="#g"/>', 'url="#g"/><instance_node url="#n"/>')
            .replace("<node>", '<node id="n">'),
            "circle",
        ),
    ],
)
def test_faults_are_told(text, word, tmp_path):
    path = tmp_path / "box.dae"
    path.write_text(text)
    with pytest.raises(da.DalembertError, match=word):
        Mesh.read(path)
