/* The page: an edit is checked, moved and set; what cannot be computed is a sentence; nothing is lost. */
import { api, Channel, download, tab } from "/page/server.js";
import { makeEditor } from "/page/editor.js";
import { makePanels } from "/page/panels.js";
import { node, tellAge } from "/page/nodes.js";

const $ = id => document.getElementById(id);
const S = { name: "", saved: "", version: "", machine: null, given: {}, start: {}, until: 10, curves: [], formalism: "kane", level: "scalar", panel: "equations", project: null, moved: null };
const channels = Object.fromEntries(["edit", "live", "long"].map(name => [name, new Channel(name, busy)]));
let editor, view = null, panels, shown = "", draftTimer = 0, editTimer = 0;
const timing = window.studioTiming = { edits: [], slides: [] };   // milliseconds, for whoever measures

// --- what is being computed -----------------------------------------------------------------------------------------
let exporting = null;
async function busy() { clearTimeout(busy.timer); busy.timer = setTimeout(showBusy, 350); if (!working().length) showBusy(); }
const working = () => [...Object.values(channels).filter(c => c.running).map(c => c.running), ...(exporting ? [exporting] : [])];
function showBusy() {
  const jobs = working(), first = jobs[0];
  $("busy").hidden = !jobs.length || Date.now() - first.since < 300;
  if (!jobs.length) return;
  const words = { check: "reading", motion: "simulating", equations: "deriving", section: "answering", complete: "reading", explain: "reading" };
  $("busy-text").textContent = `${words[first.job] || first.job} ${Math.round((Date.now() - first.since) / 1000)} s`;
  clearTimeout(busy.timer); busy.timer = setTimeout(showBusy, 500);
}
async function stopAll() {
  await Promise.all(Object.values(channels).filter(c => c.running && c.name !== "edit").map(c => c.stop()));
  if (exporting) await api("POST", "/api/stop", { tab, channel: "long" });
  say("Stopped.");
}
function say(text) { $("state").textContent = text; }
function bar(text, ...buttons) {
  $("bar").replaceChildren(node("span", { text }), ...buttons, node("button", { class: "quiet", text: "✕", "aria-label": "Close", onclick: () => { $("bar").hidden = true; } }));
  $("bar").hidden = false;
}

// --- files and drafts -----------------------------------------------------------------------------------------------
const dirty = () => editor.text !== S.saved;
function showState() {
  $("file").textContent = S.name + (dirty() ? " •" : "");
  document.title = (dirty() ? "• " : "") + S.name + " – dalembert studio";
  $("save").disabled = !dirty() && S.version !== "";
  $("undo").disabled = !editor.undoable; $("redo").disabled = !editor.redoable;
}
const settings = () => ({ given: S.given, start: S.start, until: S.until, curves: S.curves, formalism: S.formalism, level: S.level, panel: S.panel });
function keepDraft(soon = 400) {
  try { localStorage.setItem("dalembert-" + tab, JSON.stringify({ name: S.name, text: editor.text, settings: settings() })); } catch { /* full: the server keeps it too */ }
  clearTimeout(draftTimer);
  draftTimer = setTimeout(async () => {
    const found = await api("PUT", "/api/draft", { name: S.name, tab, text: editor.text, settings: settings() });
    if (found.error) bar(found.error);
  }, soon);
}
async function openFile(name, { text = null, from = "" } = {}) {
  const found = await api("GET", "/api/file?name=" + encodeURIComponent(name));
  if (found.error) { bar(found.error); return; }
  Object.assign(S, { name, saved: found.text, version: found.version, given: {}, start: {}, curves: [], machine: null });
  const own = found.drafts.find(d => d.tab === tab), other = found.drafts.find(d => d.tab !== tab);
  let now = text ?? found.text;
  if (text === null && own) { now = own.text; restore(own.settings); }
  else if (text === null) { const local = localDraft(name); if (local) { now = local.text; restore(local.settings); } }
  sessionStorage.setItem("dalembert-file", name);
  shown = ""; editor.open(now); $("bar").hidden = true;
  if (text === null && !own && other && other.text !== now) {
    bar(`An unsaved draft of ${name} is kept from ${tellAge(other.time)}.`,
      node("button", { text: "Take it", onclick: () => { editor.replace(0, editor.text.length, other.text); api("PUT", "/api/draft", { name, tab: other.tab, drop: true }); $("bar").hidden = true; } }),
      node("button", { text: "Forget it", onclick: () => { api("PUT", "/api/draft", { name, tab: other.tab, drop: true }); $("bar").hidden = true; } }));
  }
  say(from); showState(); edited(0);
}
function restore(held) { for (const key of ["given", "start", "until", "curves", "formalism", "level", "panel"]) if (held && held[key] !== undefined) S[key] = held[key]; }
function localDraft(name) { try { const held = JSON.parse(localStorage.getItem("dalembert-" + tab)); return held && held.name === name && held.text ? held : null; } catch { return null; } }
async function save(version = S.version) {
  const text = editor.text;
  const found = await api("PUT", "/api/file", { name: S.name, text, version, tab });
  if (found.status === 409) {
    bar(found.error, node("button", { text: "Keep mine", onclick: () => save(found.version) }),
      node("button", { text: "Take theirs", onclick: () => { S.saved = found.text; S.version = found.version; editor.replace(0, editor.text.length, found.text); $("bar").hidden = true; showState(); } }));
    return;
  }
  if (found.error) { bar(found.error); return; }
  S.saved = text; S.version = found.version; localStorage.removeItem("dalembert-" + tab);
  $("bar").hidden = true; say("Saved."); showState();
}
function freeName(wish) {
  const taken = new Set(S.project.files), base = wish.split("/").pop().replace(/\.lsd$/, "");
  let name = base + ".lsd";
  for (let k = 2; taken.has(name); k++) name = `${base}_${k}.lsd`;
  return name;
}
async function chooser() {
  S.project = await api("GET", "/api/project");
  if (S.project.error) { bar(S.project.error); return; }
  const own = S.project.files.map(name => node("button", { onclick: () => pick(() => openFile(name)) }, node("b", { text: name })));
  const examples = S.project.examples.map(e => node("button", { onclick: () => pick(async () => { const found = await api("GET", "/api/example?name=" + encodeURIComponent(e.name)); if (found.error) bar(found.error); else openFile(freeName(e.name), { text: found.text, from: "A copy of the example; Save writes it into the project." }); }) }, node("b", { text: e.name.replace(/\.lsd$/, "") }), node("small", { text: e.story })));
  const fresh = node("input", { placeholder: "new name", "aria-label": "Name of a new program" });
  const upload = node("input", { type: "file", accept: ".lsd,.html", "aria-label": "Open a program or a shared page", onchange: e => e.target.files[0] && pick(() => take(e.target.files[0])) });
  $("dialog").replaceChildren(
    node("h2", { text: `Programs in ${S.project.folder}` }),
    node("div", { class: "row" }, fresh, node("button", { text: "New", onclick: () => pick(() => openFile((fresh.value.trim() || "machine").replace(/(\.lsd)?$/, ".lsd"), { text: START })) }), node("label", {}, "or open a file", upload)),
    node("div", { class: "cards" }, ...own), node("h2", { text: "Examples" }), node("div", { class: "cards" }, ...examples));
  $("dialog").showModal();
}
function pick(then) { $("dialog").close(); then(); }
const START = "(* A pendulum to begin with. *)\nuse \"joints.lsd\" ;\nlet rod = body mass = 1, iframe = [0, 0, -1] ++ 1, inertia = 0 end ;\njoin earth and rod.frame with link(th) dof = th || [0,1,0] end as pivot ;\ngravity [0, 0, -9.81] ;\nstart pivot.th = 1 ;\n";
async function take(file) {
  const text = await file.text();
  const found = /\.html?$/.test(file.name) ? await api("POST", "/api/shared", { page: text }) : { text };
  if (found.error) bar(found.error);
  else openFile(freeName(file.name.replace(/\.html?$/, ".lsd").replace(/[^\w.-]/g, "_")), { text: found.text });
}

// --- an edit: check, move, set --------------------------------------------------------------------------------------
function edited(after = 60) { calm(); clearTimeout(editTimer); editTimer = setTimeout(follow, after, performance.now()); }
/* Where processors draw the picture, it gives way to the answer that is awaited, for four seconds at most. */
function calm() {
  if (view) view.set({ calm: true });
  clearTimeout(calm.timer); calm.timer = setTimeout(() => { if (view) view.set({ calm: false }); }, 4000);
}
function lively() { clearTimeout(calm.timer); if (view) view.set({ calm: false }); }
async function follow(began) {
  const text = editor.text;
  const found = await channels.edit.ask("check", { text, name: S.name }, { kill: 4000 });
  if (found.superseded || found.stopped) return;
  if (found.error) { showFaults([]); why(found.error); return; }
  showFaults(found.faults);
  if (text !== editor.text) return;
  if (!found.right) { say("The picture is that of the last program without a fault."); return; }
  S.machine = found.machine; S.text = text;
  if (!found.machine) { why(found.why || "This program declares no machine: it has no join."); panels.show(S); return; }
  prune();
  say(`${S.machine.bodies} ${S.machine.bodies === 1 ? "body" : "bodies"}`);
  panels.show(S);
  if (!S.machine.live) { why(`${S.machine.bodies} bodies: too many to follow every edit. Ctrl+Enter simulates.`); return; }
  await Promise.all([move({ kill: 700 }), panels.ask({ kill: 300 })]);
  lively();
  timing.edits.push(performance.now() - began);
}
function prune() {   // numbers of names that are gone
  const names = new Set([...S.machine.parameters, ...S.machine.start].map(x => x.name));
  for (const kind of ["given", "start"]) for (const name of Object.keys(S[kind])) if (!names.has(name)) delete S[kind][name];
  S.curves = S.curves.filter(c => c);
  if (!S.curves.length) S.curves = S.machine.start.slice(0, Math.min(4, S.machine.start.length / 2)).map(x => x.name);
}
async function move(how = {}) {
  if (!S.machine) return;
  const began = performance.now();
  calm();
  const found = await channels.live.ask("motion", { text: S.text, name: S.name, until: S.until, given: S.given, start: S.start, curves: S.curves }, how);
  if (found.superseded) return;
  if (found.stopped) { why("The simulation was stopped. Ctrl+Enter starts it again."); return; }
  if (found.error) { why(found.error); return; }
  why(found.why || "");
  S.moved = found; panels.moved(found);
  if (found.said) say(`${S.machine.bodies} ${S.machine.bodies === 1 ? "body" : "bodies"}; ${found.said}`);
  if (found.scene) await display(found.scene);
  if (!channels.long.running) lively();
  timing.slides.push(performance.now() - began);
}
async function display(scene) {
  const same = shown === S.name;
  try {
    if (!view) {
      view = DalembertView($("view"), scene, { plots: false });
      view.on("time", t => panels.time(t));
      view.on("pick", what => { if (what && what.name) find(what.name); });
      await view.ready;
    } else {
      const t = view.time, playing = view.playing;
      await view.load(scene, { keepCamera: same });
      if (same && !playing) view.seek(t);
    }
    shown = S.name;
  } catch (error) { why("The picture cannot be drawn: " + error.message); }
}
function why(text) { $("why").textContent = text; $("why").hidden = !text; }
function showFaults(list) {
  editor.faults(list);
  $("faults").replaceChildren(...list.slice(0, 30).map(f => node("button", { class: f.severity, onclick: () => editor.goto(f.from, f.to) }, `${f.line}: ${f.message}`, f.hint ? node("small", { text: f.hint }) : "")));
  showState();
}
function find(name) {
  const k = editor.text.search(new RegExp("\\b" + name.replace(/[^\w]/g, "\\$&") + "\\b"));
  if (k >= 0) editor.goto(k, k + name.length);
}

// --- numbers of sliders into the program: an edit like any other, so it can be undone -------------------------------------
function writeNumbers() {
  let text = editor.text, edits = [];
  const masked = text.replace(/\(\*[\s\S]*?\*\)/g, c => " ".repeat(c.length));
  let tail = "";
  for (const [word, values] of [["given", S.given], ["start", S.start]]) for (const [name, value] of Object.entries(values)) {
    const number = String(+value.toPrecision(6)).replace(/^-/, "-");
    let done = false;
    for (const statement of masked.matchAll(new RegExp(`\\b${word}\\b[^;]*;`, "g"))) {
      const at = new RegExp(`(^|[\\s,])${name.replace(/[^\w]/g, "\\$&")}\\s*=\\s*`).exec(statement[0]);
      if (!at) continue;
      const from = statement.index + at.index + at[0].length;
      let to = from, depth = 0;
      while (to < masked.length && (depth || !",;".includes(masked[to]))) { depth += ("([".includes(masked[to]) ? 1 : 0) - (")]".includes(masked[to]) ? 1 : 0); to++; }
      while (to > from && /\s/.test(masked[to - 1])) to--;
      edits.push({ from, to, insert: number }); done = true; break;
    }
    if (!done) tail += `${word} ${name} = ${number} ;\n`;
  }
  if (tail) edits.push({ from: text.length, to: text.length, insert: (text.endsWith("\n") ? "" : "\n") + tail });
  S.given = {}; S.start = {};
  editor.view.dispatch({ changes: edits });
}

// --- export ------------------------------------------------------------------------------------------------------------
async function take_away(kind) {
  if ($("dialog").open) $("dialog").close();
  exporting = { job: "exporting", since: Date.now() }; busy();
  const found = await download({ kind, text: S.text ?? editor.text, name: S.name, until: S.until, given: S.given, start: S.start, formalism: S.formalism, level: S.level });
  exporting = null; busy();
  if (found.error) bar(found.error); else if (found.stopped) say("Stopped."); else say(`${found.name} is in your downloads.`);
}
function exporter() {
  $("dialog").replaceChildren(node("h2", { text: "Take away" }), node("div", { class: "cards" }, ...S.project.exports.map(e => node("button", { "data-kind": e.kind, onclick: () => take_away(e.kind) }, node("b", { text: e.suffix }), " ", node("small", { text: e.what })))));
  $("dialog").showModal();
}

// --- begin -------------------------------------------------------------------------------------------------------------
async function begin() {
  editor = makeEditor($("editor"), {
    ask: (job, args) => channels.edit.ask(job, { ...args, name: S.name }),
    change: () => { showState(); keepDraft(); edited(); },
    save: () => save(), run: () => { if (S.machine) { S.machine.live = true; S.text = editor.text; move(); panels.ask(); } },
  });
  panels = makePanels($("tabs"), $("panel"), {
    state: S, ask: (job, args, how) => channels.long.ask(job, { text: S.text, name: S.name, ...args }, how),
    move: () => { keepDraft(); return move(); }, seek: t => { if (view) { view.pause(); view.seek(t); } }, find, write: writeNumbers,
    keep: () => keepDraft(), hide: names => { if (view) view.set({ hidden: names }); },
  });
  $("save").onclick = () => save(); $("undo").onclick = () => editor.undo(); $("redo").onclick = () => editor.redo();
  $("open").onclick = chooser; $("export").onclick = exporter; $("share").onclick = () => take_away("share"); $("stop").onclick = stopAll;
  $("dialog").addEventListener("click", e => { if (e.target === $("dialog")) $("dialog").close(); });
  document.querySelectorAll("#faces button").forEach(b => { b.onclick = () => { document.body.dataset.face = b.dataset.face; }; });
  addEventListener("keydown", e => {
    const mod = e.ctrlKey || e.metaKey;
    if (mod && e.key === "s") { e.preventDefault(); save(); }
    else if (mod && e.key === "o") { e.preventDefault(); chooser(); }
    else if (e.key === "Escape" && !$("busy").hidden && !$("dialog").open) stopAll();
  });
  addEventListener("beforeunload", () => keepDraft(0));
  addEventListener("dragover", e => e.preventDefault());
  addEventListener("drop", e => { if (e.dataTransfer.files.length) { e.preventDefault(); take(e.dataTransfer.files[0]); } });
  window.studio = { editor, state: S };   // for whoever tests or scripts it
  splitter();
  S.project = await api("GET", "/api/project");
  if (S.project.error) { bar(S.project.error); return; }
  const last = sessionStorage.getItem("dalembert-file");
  const name = last || S.project.first || S.project.files[0];
  if (name) await openFile(name); else { await openFile("machine.lsd", { text: START }); chooser(); }
}
function splitter() {
  const bar = $("split"), set = x => document.querySelector("main").style.setProperty("--left", Math.min(75, Math.max(18, x)) + "%");
  bar.addEventListener("pointerdown", e => bar.setPointerCapture(e.pointerId));
  bar.addEventListener("pointermove", e => { if (bar.hasPointerCapture(e.pointerId)) set(100 * e.clientX / innerWidth); });
  bar.addEventListener("keydown", e => { const now = 100 * bar.getBoundingClientRect().left / innerWidth; if (e.key === "ArrowLeft") set(now - 3); if (e.key === "ArrowRight") set(now + 3); });
}
begin();
