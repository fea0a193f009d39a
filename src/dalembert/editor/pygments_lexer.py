"""Pygments lexer of LSD: colours for the docs and for terminals."""

from __future__ import annotations

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

from dalembert.lsd.lexer import DECLARING


class LsdLexer(RegexLexer):
    """LSD, the language of mechanisms."""

    name = "LSD"
    url = "https://en.wikipedia.org/wiki/Multibody_system"
    aliases = ("lsd",)
    filenames = ("*.lsd",)
    mimetypes = ("text/x-lsd",)

    tokens = {  # noqa: RUF012 - the attribute that Pygments reads
        "root": [
            (r"\s+", Text),
            (r"\(\*(?s:.*?)\*\)", Comment.Multiline),
            (r'"[^"\n]*"', String),
            (words(("body", "link", "force", "torque"), suffix=r"\b"), Keyword.Type),
            (
                words(
                    (
                        "let",
                        "join",
                        "and",
                        "with",
                        "apply",
                        "on",
                        "package",
                        "local",
                        "in",
                        "end",
                        "as",
                        "by",
                        "about",
                        "along",
                        "restitution",
                        "friction",
                        "static",
                        "rolling",
                        "drilling",
                        "slip",
                        "do",
                        "then",
                        "else",
                    ),
                    suffix=r"\b",
                ),
                Keyword,
            ),
            (
                words(tuple(sorted(DECLARING)), suffix=r"\b"),
                Keyword.Declaration,
            ),
            (r"\b(earth|pi)\b", Name.Builtin),
            (r"\b(dof|force|torque|effort)[1-9]\b", Name.Attribute),
            (r"\b(mass|iframe|inertia|dof|effort|value|frame|displ)\b(?=\s*=[^=])", Name.Attribute),
            (r"\b(stiffness|damping|length|axis|angle|turning|turning_damping)\b(?=\s*=[^=])", Name.Attribute),
            (r"(?<=\.)(mass|iframe|inertia|frame|value|body|displ)\b", Name.Attribute),
            (r"\?[_A-Za-z]+", Name.Variable.Magic),
            (r"`[^`\n]+`'*", Name),
            (r"[_A-Za-z][_A-Za-z0-9]*(?=\()", Name.Function),
            (r"[_A-Za-z][_A-Za-z0-9]*'*", Name),
            (r"[0-9]+(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)", Number.Float),
            (r"[0-9]+", Number.Integer),
            (r"\|\||\+\+|[@+\-*/^=<>]|\.\.", Operator),
            (r"[\[\]().,:;]", Punctuation),
            (r".", Text),
        ]
    }
