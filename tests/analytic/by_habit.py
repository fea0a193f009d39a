"""`dalembert.analytic` under the convention of the corpus: masses, g, k, w, radii and their like are positive."""

from functools import partial

from dalembert import analytic as an
from dalembert.analytic import *  # noqa: F403

System = partial(an.System, infer=True)
Names = partial(an.Names, infer=True)


def check(claim, correct=None, *, names=None, signs=(), **options):
    return an.check(claim, correct, names=names or Names(signs=signs), signs=signs, **options)
