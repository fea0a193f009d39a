"""Distances of convex shapes by their support points alone: the least difference of two of their points (Gilbert 1966).

It shares nothing with the contacts of shapes: no face, edge or rim is looked at.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

import dalembert as da


def numbers(values):
    return np.array([float(x.value) for x in values])


def supporting(shape):
    """The point of a shape that is furthest along a direction, in its own frame, and the radius around it."""
    if isinstance(shape, da.Cylinder):
        radius, half = numbers([shape.radius, shape.height]) * [1, 0.5]

        def furthest(d):
            size = np.hypot(d[0], d[1])
            x, y = (radius * d[:2] / size) if size > 1e-15 else (0.0, 0.0)
            return np.array([x, y, half if d[2] > 0 else -half])

        return furthest, 0.0
    if isinstance(shape, da.Ellipsoid):
        radii = numbers(shape.radii)
        return (lambda d: radii * radii * d / np.linalg.norm(radii * d)), 0.0
    if isinstance(shape, da.Capsule):
        radius, length = numbers([shape.radius, shape.length])
        points, around = np.array([[0, 0, -length / 2], [0, 0, length / 2]]), radius
    elif isinstance(shape, da.Box):
        points = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]) * numbers(shape.sides) / 2
        around = 0.0
    else:
        points, around = np.array([numbers(point) for point in shape.points]), 0.0
    return (lambda d: points[np.argmax(points @ d)]), around


def distance(one, two):
    """Of two shapes with their places and axes: (shape, place, matrix) each; nothing where they overlap."""
    (first, r), (second, s) = supporting(one[0]), supporting(two[0])

    def far(d):
        return one[1] + one[2] @ first(one[2].T @ d) - two[1] - two[2] @ second(-two[2].T @ d)

    x = far(np.array([1.0, 0.3, 0.2]))
    points = [x]
    for _ in range(300):
        size = float(np.linalg.norm(x))
        if size < 1e-9:
            return -r - s
        new = far(-x)
        if size * size - x @ new < 1e-14 * max(size * size, 1e-9):
            break
        points.append(new)
        hull = np.array(points)
        weights, _ = nnls(np.vstack([hull.T, np.full(len(hull), 1e3)]), [0, 0, 0, 1e3], maxiter=1000)
        weights /= weights.sum()
        x = weights @ hull
        points = [p for p, w in zip(points, weights, strict=True) if w > 1e-14]
    return float(np.linalg.norm(x)) - r - s
