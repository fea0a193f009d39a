/* The answers: equations, sliders, curves, structure, and the sections of the report, each asked when it is looked at. */
import { COLOURS, makeCurves } from "/page/curves.js";
import { node } from "/page/nodes.js";

const FORMALISMS = ["newton-euler", "dalembert", "lagrange", "hamilton", "kane", "gibbs-appell", "boltzmann-hamel", "lie-group", "mixed", "recursive"];
const LEVELS = ["vector", "matrix", "scalar"];
const TABS = { equations: "Equations", tune: "Tune", curves: "Curves", structure: "Structure", mobility: "Freedoms", equilibria: "Equilibria", constraints: "Constraints", contacts: "Contacts", reactions: "Reactions", quality: "Quality", names: "Names", code: "Code" };
const PARTS = new Set(["mobility", "equilibria", "constraints", "contacts", "reactions", "quality", "names", "code"]);

export function makePanels(tabs, panel, desk) {
  const S = desk.state;
  let curves = null, answered = {}, hidden = new Set();
  for (const [key, title] of Object.entries(TABS)) tabs.append(node("button", { role: "tab", id: "tab-" + key, text: title, onclick: () => choose(key) }));
  tabs.addEventListener("keydown", e => {
    const keys = Object.keys(TABS), k = keys.indexOf(S.panel) + (e.key === "ArrowRight" ? 1 : e.key === "ArrowLeft" ? -1 : 0);
    if (keys[k] && keys[k] !== S.panel) { choose(keys[k]); document.getElementById("tab-" + keys[k]).focus(); }
  });
  function choose(key) { S.panel = key; desk.keep(); show(); ask(); }
  function mark() { for (const b of tabs.children) { const on = b.id === "tab-" + S.panel; b.setAttribute("aria-selected", on); b.tabIndex = on ? 0 : -1; } }

  function show() {
    mark();
    if (!S.machine && S.panel !== "equations") { panel.replaceChildren(node("p", { class: "note", text: "There is no machine yet." })); return; }
    ({ equations: showEquations, tune: showTune, curves: showCurves, structure: showStructure })[S.panel]?.();
    if (PARTS.has(S.panel)) {
      const held = answered[S.panel];
      fill(held && held.for === S.text ? held.html : "", held && held.for === S.text ? held.title : TABS[S.panel] + " …");
    }
  }
  /* HTML of the server is made of escaped text and MathML, and the page runs no script that stands in it. */
  function fill(html, title) { const body = node("div", { class: "math" }); body.innerHTML = html; panel.replaceChildren(node("h3", { text: title }), body); }
  const numbers = () => ({ until: S.until, given: S.given, start: S.start });

  async function ask(how = {}) {
    if (!S.machine || !S.text) return;
    const key = S.panel, text = S.text;
    if (key === "equations") return setEquations(how);
    if (!PARTS.has(key)) return;
    const found = await desk.ask("section", { key, ...numbers() }, { kill: 300, ...how });
    if (found.superseded || S.panel !== key) return;
    const html = found.html ?? "", title = found.title ?? TABS[key];
    answered[key] = { for: text, html, title };
    if (found.error || found.stopped) panel.replaceChildren(node("p", { class: "note", text: found.error || "Stopped." }), node("button", { text: "Ask again", onclick: () => ask() }));
    else { fill(html, title); if (["equilibria", "reactions", "quality", "contacts"].includes(key)) panel.append(node("button", { text: "Ask again with the numbers of the sliders", onclick: () => ask() })); }
  }

  // --- equations
  let set = "";   // the formulas that stand in the panel: setting MathML takes longer than to see that it is the same
  function showEquations() {
    if (document.getElementById("equations")) return;
    set = "";
    const choice = (name, all) => { const s = node("select", { id: name, "aria-label": name, onchange: e => { S[name] = e.target.value; desk.keep(); setEquations(); } }, ...all.map(x => node("option", { text: x, value: x }))); s.value = S[name]; return s; };
    panel.replaceChildren(node("div", { class: "row" }, node("label", {}, "Formalism", choice("formalism", FORMALISMS)), node("label", {}, "Level", choice("level", LEVELS)), node("span", { id: "size", class: "label" })), node("div", { class: "math", id: "equations" }));
  }
  async function setEquations(how = {}, lines = 30, asked = false) {
    if (!S.machine) return;
    const found = await desk.ask("equations", { formalism: S.formalism, level: S.level, lines, asked }, how);
    if (found.superseded || S.panel !== "equations") return;
    const box = document.getElementById("equations");
    if (!box) return;
    const again = (text, n, wanted = true) => node("button", { text, onclick: () => setEquations({}, n, wanted) });
    if (found.error || found.stopped) { set = ""; box.replaceChildren(node("p", { class: "note", text: found.error || "Stopped." }), again("Ask again", lines)); return; }
    const now = found.why + found.html + found.hidden;
    if (set !== now) {
      const at = panel.scrollTop;
      box.innerHTML = found.html;
      if (found.why) box.prepend(node("p", { class: "note", text: found.why + " " }, again(`Set the ${S.level} level`, lines)));
      if (found.hidden > 0) box.append(again(`${found.hidden} more definitions`, lines * 8, !found.why));
      panel.scrollTop = at;
      set = now;
    }
    document.getElementById("size").textContent = `${found.operations} operations`;
  }

  // --- sliders
  function showTune() {
    const until = node("input", { type: "number", id: "until", min: "0.01", step: "any", value: String(S.until), "aria-label": "Final time", onchange: e => { const v = +e.target.value; if (v > 0 && isFinite(v)) { S.until = v; desk.move(); } } });
    const row = node("div", { class: "row" }, node("label", {}, "Until t =", until), node("button", { text: "Reset", onclick: () => { S.given = {}; S.start = {}; showTune(); desk.move(); } }), node("button", { text: "Write into the program", title: "The numbers become part of the program; undo takes them back", onclick: () => desk.write() }));
    const box = node("div", { id: "sliders" });
    const known = S.machine.parameters.filter(p => p.value !== null), open = S.machine.parameters.filter(p => p.value === null);
    if (known.length) box.append(node("div", { class: "group", text: "Parameters" }), ...known.map(p => slider("given", p)));
    box.append(node("div", { class: "group", text: "Start" }), ...S.machine.start.slice(0, 120).map(p => slider("start", p)));
    if (open.length) box.append(node("div", { class: "group", text: "Parameters without a number" }), ...open.slice(0, 120).map(p => slider("given", p)));
    panel.replaceChildren(row, box);
  }
  function span(kind, p) {
    const v = p.value ?? 1;
    if (kind === "start" && p.angle) return [-Math.PI, Math.PI];
    if (v === 0) return kind === "start" ? [-2, 2] : [-1, 1];
    return v > 0 && kind === "given" ? [0, 3 * v] : [v - 2 * Math.abs(v), v + 2 * Math.abs(v)];
  }
  function slider(kind, p) {
    const now = S[kind][p.name] ?? p.value ?? 1, [low, high] = span(kind, p);
    const range = node("input", { type: "range", min: String(Math.min(low, now)), max: String(Math.max(high, now)), step: "any", value: String(now), "aria-label": p.name, "data-name": p.name });
    const number = node("input", { type: "number", step: "any", value: String(+now.toPrecision(6)), "aria-label": p.name + " as a number" });
    const row = node("label", { class: "slider" + (p.name in S[kind] ? " changed" : ""), title: p.name }, node("span", { text: p.name }), range, number);
    const set = v => { if (!isFinite(v)) return; S[kind][p.name] = v; row.classList.add("changed"); desk.move(); };
    range.oninput = () => { number.value = +(+range.value).toPrecision(6); set(+range.value); };
    number.onchange = () => { const v = +number.value; range.min = Math.min(+range.min, v); range.max = Math.max(+range.max, v); range.value = v; set(v); };
    range.ondblclick = () => { delete S[kind][p.name]; showTune(); desk.move(); };
    return row;
  }

  // --- curves
  function showCurves() {
    const formula = node("input", { id: "formula", placeholder: "a name or a formula: sin(elbow.th)", size: "28", list: "known", "aria-label": "Formula to draw" });
    const add = () => { const f = formula.value.trim(); if (f && !S.curves.includes(f) && S.curves.length < 12) { S.curves.push(f); formula.value = ""; showCurves(); desk.move(); } };
    formula.onkeydown = e => { if (e.key === "Enter") add(); };
    const faults = S.moved?.faults || {};
    const chips = S.curves.map(c => node("span", { class: "chip", title: faults[c] || "" }, node("i", { style: `background:${c in faults ? "transparent" : COLOURS[Object.keys(S.moved?.curves || {}).indexOf(c) % COLOURS.length] || "grey"}` }), c, node("button", { text: "✕", "aria-label": "Remove " + c, onclick: () => { S.curves = S.curves.filter(x => x !== c); showCurves(); desk.move(); } })));
    const canvas = node("canvas", { class: "curves", "aria-label": "Curves over time" });
    const known = node("datalist", { id: "known" }, ...S.machine.start.map(x => node("option", { value: x.name })), ...["total.T", "total.V"].map(x => node("option", { value: x })));
    panel.replaceChildren(node("div", { class: "row" }, formula, node("button", { text: "Draw", onclick: add }), known, ...chips), ...Object.entries(faults).map(([c, text]) => node("p", { class: "note", text: `${c}: ${text}` })), canvas);
    curves = makeCurves(canvas, desk.seek);
    if (S.moved) curves.load(S.moved);
  }

  // --- structure
  function showStructure() {
    const row = one => node("li", { style: `padding-left:${1.1 * Math.min(one.depth, 24)}rem` }, one.body === "earth" ? "" : node("input", { type: "checkbox", checked: !hidden.has(one.body), "aria-label": "Show " + one.body, onchange: e => { hidden[e.target.checked ? "delete" : "add"](one.body); desk.hide([...hidden]); } }), node("button", { text: one.body, onclick: () => desk.find(one.body) }), one.link ? node("small", { text: ` ${one.link}: ${one.joint}${one.coordinates.length ? " (" + one.coordinates.join(", ") + ")" : ""}` }) : "");
    const m = S.machine, more = [], most = 1000;
    if (m.tree.length > most) more.push(node("p", { class: "note", text: `${m.tree.length - most} more bodies` }));
    for (const [title, names] of [["Links that close loops", m.closing.map(c => c.link)], ["Constraints", m.constraints], ["Contacts", m.contacts]])
      more.push(node("p", {}, node("b", { text: title + ": " }), names.length ? names.join(", ") : "none"));
    panel.replaceChildren(node("ul", { id: "tree" }, ...m.tree.slice(0, most).map(row)), ...more);
  }

  return {
    show() { hidden = new Set(); show(); }, ask,
    moved(found) {
      if (S.panel !== "curves" || !curves) return;
      const wrong = document.querySelectorAll("#panel .note").length !== Object.keys(found.faults || {}).length;
      if (wrong || document.activeElement?.id !== "formula") { if (wrong) showCurves(); else curves.load(found); } else curves.load(found);
    },
    time(t) { if (S.panel === "curves" && curves) curves.at(t); },
  };
}
