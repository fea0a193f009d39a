"""Language server of LSD (pygls): diagnostics, hover, completion, definition, outline, rename, fixes, lenses."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from dalembert import __version__
from dalembert.editor.analysis import Analysis, analyse, completions, definition, hover
from dalembert.editor.refactor import Outlined, fixes, named_at, outline, rename, signature_at
from dalembert.editor.told import lenses
from dalembert.errors import LsdError
from dalembert.lsd import library
from dalembert.lsd.format import format_text
from dalembert.lsd.source import Diagnostic, Source

_KINDS = {
    "field": lsp.CompletionItemKind.Field,
    "function": lsp.CompletionItemKind.Function,
    "variable": lsp.CompletionItemKind.Variable,
    "keyword": lsp.CompletionItemKind.Keyword,
    "library": lsp.CompletionItemKind.Module,
    "file": lsp.CompletionItemKind.File,
    "type": lsp.CompletionItemKind.TypeParameter,
}


class LsdServer(LanguageServer):
    """Keeps the analysis of each open document."""

    def __init__(self) -> None:
        super().__init__("dalembert-lsd", __version__)
        self.analyses: dict[str, Analysis] = {}

    def refresh(self, uri: str) -> Analysis:
        """Analyse a document anew and publish what is wrong with it."""
        document = self.workspace.get_text_document(uri)
        path = uri_path(uri)
        found = analyse(document.source, str(path or uri), path.parent if path else None)
        self.analyses[uri] = found
        listed = [_diagnostic(d) for d in found.diagnostics]
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri=uri, diagnostics=listed))
        return found

    def analysis(self, uri: str) -> Analysis:
        return self.analyses.get(uri) or self.refresh(uri)


def uri_path(uri: str) -> Path | None:
    parsed = urlparse(uri)
    return Path(unquote(parsed.path)) if parsed.scheme == "file" else None


def _units(text: str) -> int:
    """Length in UTF-16 units, in which the protocol counts columns."""
    return len(text.encode("utf-16-le")) // 2


def position(source: Source, offset: int) -> lsp.Position:
    line, column = source.place(min(offset, len(source.text)))
    return lsp.Position(line - 1, _units(source.line(line)[: column - 1]))


def offset_of(source: Source, at: lsp.Position) -> int:
    start = source.offset(at.line + 1, 1)
    units = 0
    for k, char in enumerate(source.text[start : source.offset(at.line + 1, 1_000_000)]):
        if units >= at.character:
            return start + k
        units += _units(char)
    return source.offset(at.line + 1, 1_000_000)


def _range(source: Source, span: tuple[int, int]) -> lsp.Range:
    return lsp.Range(position(source, span[0]), position(source, span[1]))


def _diagnostic(one: Diagnostic) -> lsp.Diagnostic:
    severity = lsp.DiagnosticSeverity.Error if one.severity == "error" else lsp.DiagnosticSeverity.Warning
    text = one.message + (f"\nhint: {one.hint}" if one.hint else "")
    return lsp.Diagnostic(range=_range(one.source, one.span), message=text, severity=severity, source="lsd")


def create_server() -> LsdServer:
    """A server with its handlers; `serve` runs it on standard input and output."""
    server = LsdServer()

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def did_open(ls: LsdServer, params: lsp.DidOpenTextDocumentParams) -> None:
        ls.refresh(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(ls: LsdServer, params: lsp.DidChangeTextDocumentParams) -> None:
        ls.refresh(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def did_save(ls: LsdServer, params: lsp.DidSaveTextDocumentParams) -> None:
        ls.refresh(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(ls: LsdServer, params: lsp.DidCloseTextDocumentParams) -> None:
        ls.analyses.pop(params.text_document.uri, None)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def on_hover(ls: LsdServer, params: lsp.HoverParams) -> lsp.Hover | None:
        found = ls.analysis(params.text_document.uri)
        text = hover(found, offset_of(found.source, params.position))
        if text is None:
            return None
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, f"```lsd\n{text}\n```"))

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=[".", ":", '"']))
    def on_completion(ls: LsdServer, params: lsp.CompletionParams) -> lsp.CompletionList:
        found = ls.analysis(params.text_document.uri)
        items = completions(found, offset_of(found.source, params.position))
        listed = [lsp.CompletionItem(label=i.label, kind=_KINDS[i.kind], detail=i.detail) for i in items]
        return lsp.CompletionList(is_incomplete=False, items=listed)

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def on_definition(ls: LsdServer, params: lsp.DefinitionParams) -> lsp.Location | None:
        found = ls.analysis(params.text_document.uri)
        target = definition(found, offset_of(found.source, params.position))
        if target is None:
            return None
        source, span = target
        return lsp.Location(uri=_uri(source, found, params.text_document.uri), range=_range(source, span))

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def on_symbols(ls: LsdServer, params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        found = ls.analysis(params.text_document.uri)
        return [_symbol(found.source, one) for one in outline(found)]

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def on_references(ls: LsdServer, params: lsp.ReferenceParams) -> list[lsp.Location]:
        found, uri = ls.analysis(params.text_document.uri), params.text_document.uri
        spans = named_at(found, offset_of(found.source, params.position))[1]
        return [lsp.Location(uri, _range(found.source, span)) for span in spans]

    @server.feature(lsp.TEXT_DOCUMENT_RENAME)
    def on_rename(ls: LsdServer, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        found, uri = ls.analysis(params.text_document.uri), params.text_document.uri
        spans = rename(found, offset_of(found.source, params.position), params.new_name)
        if spans is None:
            return None
        return lsp.WorkspaceEdit({uri: [lsp.TextEdit(_range(found.source, span), params.new_name) for span in spans]})

    @server.feature(lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpOptions(trigger_characters=["(", ","]))
    def on_signature(ls: LsdServer, params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        found = ls.analysis(params.text_document.uri)
        told = signature_at(found, offset_of(found.source, params.position))
        if told is None:
            return None
        inside = [lsp.ParameterInformation(label=one) for one in told.parameters]
        one = lsp.SignatureInformation(label=told.text, documentation=told.said or None, parameters=inside)
        return lsp.SignatureHelp(signatures=[one], active_signature=0, active_parameter=told.active)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION)
    def on_actions(ls: LsdServer, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        found, uri = ls.analysis(params.text_document.uri), params.text_document.uri
        low, high = (offset_of(found.source, at) for at in (params.range.start, params.range.end))
        near = [one for one in found.diagnostics if one.span[0] <= high and low <= one.span[1]]
        return [
            lsp.CodeAction(
                title=fix.title,
                kind=lsp.CodeActionKind.QuickFix,
                edit=lsp.WorkspaceEdit({uri: [lsp.TextEdit(_range(found.source, fix.span), fix.text)]}),
            )
            for one in near
            for fix in fixes(one)
        ]

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    @server.thread()
    def on_lens(ls: LsdServer, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        found = ls.analysis(params.text_document.uri)
        return [lsp.CodeLens(_range(found.source, one.span), lsp.Command(one.title, "")) for one in lenses(found)]

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def on_format(ls: LsdServer, params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        found = ls.analysis(params.text_document.uri)
        try:
            new = format_text(found.source.text)
        except LsdError:
            return []
        whole = _range(found.source, (0, len(found.source.text)))
        return [] if new == found.source.text else [lsp.TextEdit(whole, new)]

    return server


_SYMBOLS = {
    "body": lsp.SymbolKind.Object,
    "definition": lsp.SymbolKind.Function,
    "package": lsp.SymbolKind.Package,
    "machine": lsp.SymbolKind.Class,
    "join": lsp.SymbolKind.Interface,
    "output": lsp.SymbolKind.Property,
}


def _symbol(source: Source, one: Outlined) -> lsp.DocumentSymbol:
    return lsp.DocumentSymbol(
        name=one.name,
        detail=one.kind,
        kind=_SYMBOLS.get(one.kind, lsp.SymbolKind.Variable),
        range=_range(source, one.span),
        selection_range=_range(source, one.name_span),
        children=[_symbol(source, child) for child in one.inside],
    )


def _uri(source: Source, found: Analysis, uri: str) -> str:
    if source.name == found.source.name:
        return uri
    if source.name.startswith("library/"):
        return (Path(library.__file__).parent / source.name.removeprefix("library/")).as_uri()
    return Path(source.name).absolute().as_uri()


def serve() -> Any:
    """Run until the editor says goodbye."""
    return create_server().start_io()
