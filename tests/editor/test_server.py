"""The language server, spoken to over its own protocol."""

import asyncio
import sys

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from dalembert.editor.server import offset_of, position
from dalembert.lsd.source import Source

URI = "file:///nowhere/arm.lsd"
TEXT = 'use "joints.lsd" ;\nlet arm = body masse = 1 end ;\njoin earth and arm.frame with revolute(axis = [0,0,1]) ;\n'
GOOD = TEXT.replace("masse", "mass")

#: The server, whose lenses may take as long as they need: on a crowded machine three seconds tell nothing of the code.
PATIENT = "from dalembert.editor import server, told; told._SECONDS = 60.0; server.serve()"


async def talk():
    """Open a faulty document, correct it, ask about it."""
    client = LanguageClient("test", "1")
    published = []
    arrived = asyncio.Event()

    @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def on_diagnostics(params):
        published.append(params.diagnostics)
        arrived.set()

    await client.start_io(sys.executable, "-c", PATIENT)
    await client.initialize_async(lsp.InitializeParams(capabilities=lsp.ClientCapabilities()))
    client.initialized(lsp.InitializedParams())
    document = lsp.TextDocumentItem(uri=URI, language_id="lsd", version=1, text=TEXT)
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(document))
    await asyncio.wait_for(arrived.wait(), 60)
    arrived.clear()
    change = lsp.TextDocumentContentChangeWholeDocument(text=GOOD)
    identity = lsp.VersionedTextDocumentIdentifier(uri=URI, version=2)
    client.text_document_did_change(lsp.DidChangeTextDocumentParams(identity, [change]))
    await asyncio.wait_for(arrived.wait(), 60)
    here = lsp.TextDocumentIdentifier(URI)
    place = lsp.Position(2, 16)
    hover = await client.text_document_hover_async(lsp.HoverParams(here, place))
    target = await client.text_document_definition_async(lsp.DefinitionParams(here, place))
    items = await client.text_document_completion_async(lsp.CompletionParams(here, lsp.Position(2, 19)))
    lenses = await client.text_document_code_lens_async(lsp.CodeLensParams(here))
    options = lsp.FormattingOptions(tab_size=2, insert_spaces=True)
    edits = await client.text_document_formatting_async(lsp.DocumentFormattingParams(here, options))
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
    return published, hover, target, items, edits, lenses


@pytest.fixture(scope="module")
def conversation():
    return asyncio.run(asyncio.wait_for(talk(), 120))


def test_diagnostics_follow_the_text(conversation):
    published = conversation[0]
    assert "did you mean `mass`" in published[0][0].message
    assert published[0][0].range.start == lsp.Position(1, 15)
    assert published[-1] == [] or list(published[-1]) == []


def test_hover_definition_completion_and_format(conversation):
    _, hover, target, items, edits, _ = conversation
    assert "arm : body" in hover.contents.value
    assert target.uri == URI
    assert target.range.start == lsp.Position(1, 4)
    assert [i.label for i in items.items] == ["mass", "iframe", "inertia", "shape", "frame"]
    assert edits[0].new_text.splitlines()[-1].endswith("[0, 0, 1]) ;")


def test_columns_are_counted_in_utf16_units():
    source = Source("(* 𝛼 *) let a = 1 ;\nlet b = 2 ;")
    for offset in range(len(source.text) + 1):
        assert offset_of(source, position(source, offset)) == offset


def test_lenses_tell_freedoms(conversation):
    assert conversation[5][0].command.title == "1 degree of freedom; 1 body, 1 link"
    assert [lens.range.start.line for lens in conversation[5]] == [0, 2]
