"""`dalembert lsp`: the language server."""

from __future__ import annotations


def command() -> None:
    """Serve LSD to an editor over standard input and output (Language Server Protocol).

    Example: dalembert lsp   (started by the editor, see editors/vscode)
    """
    from dalembert.editor.server import serve

    serve()
