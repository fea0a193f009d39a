"""`dalembert lsp`: the language server."""

from __future__ import annotations

from dalembert.errors import DalembertError


def command() -> None:
    """Serve LSD to an editor over standard input and output (Language Server Protocol).

    Example: dalembert lsp   (started by the editor, see editors/vscode)
    """
    try:
        from dalembert.editor.server import serve
    except ModuleNotFoundError as error:
        raise DalembertError(f"the language server needs {error.name}: pip install 'dalembert[editor]'.") from error
    serve()
