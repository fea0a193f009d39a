/* The editor: CodeMirror with the words of LSD, faults where they are, names and meanings asked of the server. */
import * as CM from "/codemirror/index.js";

const DECLARE = new Set("let join apply given start gravity use spring torsion bushing constrain drive roll gear rope contact limit rub package".split(" "));
const WORDS = new Set("and with on end as by about along restitution friction static slip local in body link force torque earth pi".split(" "));

const lsd = CM.StreamLanguage.define({
  name: "lsd",
  startState: () => ({ comment: 0 }),
  token(stream, state) {
    if (state.comment) {
      while (!stream.eol()) { if (stream.match("*)")) { state.comment = 0; break; } stream.next(); }
      return "comment";
    }
    if (stream.eatSpace()) return null;
    if (stream.match("(*")) { state.comment = 1; return "comment"; }
    if (stream.match(/^"[^"]*"?/)) return "string";
    if (stream.match(/^\?[A-Za-z_]*/)) return "labelName";
    if (stream.match(/^[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/)) return "number";
    const word = stream.match(/^[A-Za-z_][A-Za-z_0-9]*'*/);
    if (word) return DECLARE.has(word[0]) ? "definitionKeyword" : WORDS.has(word[0]) ? "keyword" : null;
    stream.next();
    return null;
  },
  languageData: { commentTokens: { block: { open: "(*", close: "*)" } } },
});
const tag = { definitionKeyword: "lsd-declare", keyword: "lsd-word", number: "lsd-number", comment: "lsd-comment", string: "lsd-string", labelName: "lsd-open" };
/* Classes instead of CodeMirror's themes: one style sheet knows light and dark. */
const painter = CM.ViewPlugin.fromClass(class {
  constructor(view) { this.decorations = this.paint(view); }
  update(u) { if (u.docChanged || u.viewportChanged || CM.syntaxTree(u.startState) !== CM.syntaxTree(u.state)) this.decorations = this.paint(u.view); }
  paint(view) {
    const found = [];
    for (const { from, to } of view.visibleRanges) CM.syntaxTree(view.state).iterate({ from, to, enter(node) {
      if (tag[node.name] && node.to > node.from) found.push(CM.Decoration.mark({ class: tag[node.name] }).range(node.from, node.to));
    } });
    return CM.Decoration.set(found, true);
  }
}, { decorations: plugin => plugin.decorations });

const setFaults = CM.StateEffect.define();
const faults = CM.StateField.define({
  create: () => CM.Decoration.none,
  update(marks, change) {
    marks = marks.map(change.changes);
    for (const effect of change.effects) if (effect.is(setFaults)) {
      const end = change.state.doc.length;
      marks = CM.Decoration.set(effect.value.map(f => {
        const to = Math.min(f.to, end), from = Math.max(0, Math.min(f.from, to - 1));
        return to > from ? CM.Decoration.mark({ class: "cm-fault " + f.severity, fault: f }).range(from, to) : null;
      }).filter(Boolean), true);
    }
    return marks;
  },
  provide: field => CM.EditorView.decorations.from(field),
});

function tip(text) {
  const dom = document.createElement("div");
  dom.className = "tip";
  dom.textContent = text;
  return { dom };
}

/* ask(job, {at, text}) -> answer of the server; change(text) after every edit. */
export function makeEditor(parent, { ask, change, save, run }) {
  const complete = async context => {
    const word = context.matchBefore(/[A-Za-z_0-9]*/);
    const dotted = context.matchBefore(/[.:"]\s*[A-Za-z_0-9]*$/);
    if (!context.explicit && !dotted && (!word || word.to - word.from < 2)) return null;
    const found = await ask("complete", { at: context.pos, text: context.state.doc.toString() });
    if (!found.items || context.aborted) return null;
    const kind = { field: "property", function: "function", variable: "variable", keyword: "keyword", library: "class", file: "text", type: "type" };
    return { from: word ? word.from : context.pos, validFor: /^[A-Za-z_0-9]*$/,
      options: found.items.map(i => ({ label: i.label, type: kind[i.kind] || "text", detail: i.detail.length > 60 ? i.detail.slice(0, 58) + "…" : i.detail })) };
  };
  const hover = CM.hoverTooltip(async (view, at) => {
    let here = null;
    view.state.field(faults).between(at, at, (from, to, mark) => { here = { from, to, fault: mark.spec.fault }; });
    if (here) return { pos: here.from, end: here.to, create: () => tip(here.fault.message + (here.fault.hint ? "\n" + here.fault.hint : "")) };
    const found = await ask("explain", { at, text: view.state.doc.toString() });
    return found.text ? { pos: at, create: () => tip(found.text) } : null;
  }, { hoverTime: 350 });
  let quiet = false;
  const keys = [
    { key: "Mod-s", preventDefault: true, run: () => (save(), true) },
    { key: "Mod-Enter", preventDefault: true, run: () => (run(), true) },
    CM.indentWithTab,
  ];
  const state = text => CM.EditorState.create({ doc: text, extensions: [
    CM.keymap.of(keys), CM.basicSetup, lsd, CM.syntaxHighlighting(CM.HighlightStyle.define([])), painter, faults, hover,
    CM.EditorState.languageData.of(() => [{ autocomplete: complete }]),
    CM.EditorView.updateListener.of(u => { if (u.docChanged && !quiet) change(u.state.doc.toString()); }),
    CM.EditorView.contentAttributes.of({ "aria-label": "Program in LSD" }),
    CM.EditorView.lineWrapping,
  ] });
  const view = new CM.EditorView({ parent, state: state("") });
  return {
    view,
    get text() { return view.state.doc.toString(); },
    open(text) { quiet = true; view.setState(state(text)); quiet = false; },
    replace(from, to, insert) { view.dispatch({ changes: { from, to, insert }, userEvent: "input" }); },
    faults(list) { view.dispatch({ effects: setFaults.of(list) }); },
    goto(from, to) { view.dispatch({ selection: { anchor: from, head: Math.min(to, view.state.doc.length) }, scrollIntoView: true }); view.focus(); },
    undo: () => CM.undo(view), redo: () => CM.redo(view),
    get undoable() { return CM.undoDepth(view.state) > 0; }, get redoable() { return CM.redoDepth(view.state) > 0; },
    focus: () => view.focus(),
  };
}
