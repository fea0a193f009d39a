// Starts `dalembert lsp` for LSD documents; colours come from the TextMate grammar even without it.
const { workspace } = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

function activate() {
  const command = workspace.getConfiguration("lsd").get("command", "dalembert");
  const server = { command, args: ["lsp"], transport: TransportKind.stdio };
  client = new LanguageClient("lsd", "LSD", server, { documentSelector: [{ language: "lsd" }] });
  return client.start();
}

function deactivate() {
  return client ? client.stop() : undefined;
}

module.exports = { activate, deactivate };
