/* Curves over time on a canvas, with a line where the picture is; a click goes there. */
export const COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#e08214", "#8073ac"];

export function nice(step) {
  const power = 10 ** Math.floor(Math.log10(step));
  return [1, 2, 5, 10].map(k => k * power).find(x => x >= step * 0.999);
}

export function makeCurves(canvas, seek) {
  let data = { t: [], curves: {} }, now = 0, box = null, pointer = null;
  const names = () => Object.keys(data.curves);
  const style = name => getComputedStyle(canvas).getPropertyValue(name).trim();
  function range() {
    let low = Infinity, high = -Infinity;
    for (const name of names()) for (const y of data.curves[name]) if (y !== null) { low = Math.min(low, y); high = Math.max(high, y); }
    if (low > high) return [0, 1];
    if (high - low < 1e-12 * Math.max(1, Math.abs(high))) { low -= 1; high += 1; }
    const pad = 0.06 * (high - low);
    return [low - pad, high + pad];
  }
  function draw() {
    const ratio = devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
    if (!w || !h) return;
    canvas.width = w * ratio; canvas.height = h * ratio;
    const g = canvas.getContext("2d");
    g.scale(ratio, ratio); g.clearRect(0, 0, w, h);
    g.font = "11px system-ui, sans-serif"; g.lineWidth = 1;
    const t0 = data.t[0] ?? 0, t1 = data.t[data.t.length - 1] ?? 1, [low, high] = range();
    const left = 52, right = 12, top = 8, bottom = 22;
    const X = t => left + (w - left - right) * (t - t0) / (t1 - t0 || 1), Y = y => h - bottom - (h - top - bottom) * (y - low) / (high - low);
    box = { left, right: w - right, t0, t1 };
    g.strokeStyle = style("--line"); g.fillStyle = style("--soft");
    const sy = nice((high - low) / 5), st = nice((t1 - t0 || 1) / 8);
    g.textAlign = "right"; g.textBaseline = "middle";
    for (let k = Math.ceil(low / sy); k * sy <= high; k++) { g.beginPath(); g.moveTo(left, Y(k * sy)); g.lineTo(w - right, Y(k * sy)); g.stroke(); g.fillText(+(k * sy).toPrecision(4), left - 6, Y(k * sy)); }
    g.textAlign = "center"; g.textBaseline = "top";
    for (let k = Math.ceil(t0 / st); k * st <= t1 * (1 + 1e-9); k++) { g.beginPath(); g.moveTo(X(k * st), top); g.lineTo(X(k * st), h - bottom); g.stroke(); g.fillText(+(k * st).toPrecision(4), X(k * st), h - bottom + 5); }
    g.lineWidth = 1.7; g.lineJoin = "round";
    names().forEach((name, i) => {
      g.strokeStyle = COLOURS[i % COLOURS.length]; g.beginPath();
      let pen = false;
      data.curves[name].forEach((y, k) => { if (y === null) { pen = false; return; } g[pen ? "lineTo" : "moveTo"](X(data.t[k]), Y(y)); pen = true; });
      g.stroke();
    });
    const mark = pointer ?? now;
    g.strokeStyle = style("--accent"); g.lineWidth = 1.2; g.beginPath(); g.moveTo(X(mark), top); g.lineTo(X(mark), h - bottom); g.stroke();
    const k = data.t.length ? data.t.reduce((best, t, i) => Math.abs(t - mark) < Math.abs(data.t[best] - mark) ? i : best, 0) : 0;
    g.textAlign = X(mark) > w / 2 ? "right" : "left"; g.textBaseline = "top";
    const side = X(mark) > w / 2 ? -6 : 6;
    g.fillStyle = style("--soft"); g.fillText("t = " + mark.toPrecision(4), X(mark) + side, top);
    names().forEach((name, i) => { const y = data.curves[name][k]; if (y != null) { g.fillStyle = COLOURS[i % COLOURS.length]; g.fillText(name + " = " + (+y).toPrecision(4), X(mark) + side, top + 13 * (i + 1)); } });
  }
  const at = e => { const r = canvas.getBoundingClientRect(), u = (e.clientX - r.left - box.left) / (box.right - box.left); return Math.min(box.t1, Math.max(box.t0, box.t0 + u * (box.t1 - box.t0))); };
  let dragging = false;
  canvas.addEventListener("pointerdown", e => { if (box) { dragging = true; canvas.setPointerCapture(e.pointerId); seek(at(e)); } });
  canvas.addEventListener("pointermove", e => { if (!box) return; if (dragging) seek(at(e)); else { pointer = at(e); draw(); } });
  canvas.addEventListener("pointerup", () => { dragging = false; });
  canvas.addEventListener("pointerleave", () => { pointer = null; draw(); });
  new ResizeObserver(draw).observe(canvas);
  return { load(found) { data = found; draw(); }, at(t) { now = t; if (pointer === null) draw(); } };
}
