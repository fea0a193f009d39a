/* The renderer of dalembert: WebGL2, no dependency, one file for page, notebook and studio.

   const v = DalembertView(element, scene, options);   // element: any block with a size; scene: Scene.as_dict()
   await v.ready;                                      // decoded and drawn once
   v.load(scene)            another scene; camera kept if {keepCamera: true} is the second argument
   v.seek(t); v.play(); v.pause(); v.toggle();
   v.set({speed, loop, dark, joints, traces, arrows, frames, centres, names, ghosts, ground, plots, follow, view,
          hidden, controls, calm})                     // dark: true, false or "auto"; follow: "", "auto" or a body;
                                                       // view: "fit", "front", "side", "top", "iso"; hidden: [names];
                                                       // calm: processors that draw are wanted for an answer
   v.on("time", t => ...); v.on("play", on => ...); v.on("pick", what => ...);    // each gives back a function: off
   v.png(width, height) -> data URL       v.time, v.span, v.playing, v.settings, v.about() -> numbers for tests
   v.destroy()

   A scene (format 1), all in metres or whatever unit of length the model has, base of earth:
     name, note       words; never read as markup
     times            of the frames; a time that stands twice is a jump: before it, after it
     speed            seconds of motion in a second of playing
     table            {frames, channels: [[lo, step, bytes]...], data}: curves over the frames, see `unpack`.
                      body k > 0 has channels 7 (k-1)...: x, y, z and a unit quaternion, scalar first
     bodies           [{name, colour, mass, centre, shapes: [{kind, size, at, turn, colour?}]}], earth first; kinds:
                      box [x y z]  sphere [r]  ellipsoid [a b c]  cylinder [r h]  tube [inner outer h]  cone [r h]
                      capsule [r l]  wheel [r width]  gear [r width teeth]  mesh [number]; axes along z
     meshes           [{points: base64 float32, triangles: base64 uint32}]
     joints           [{name, kind, body, other, at, turn, there, size, low, high}]: hinge slide screw cylinder
                      universal ball, axis z of `turn` on `body`; `there` is the same place on `other`
     ties             [{name, kind, points: [[body, x, y, z]...], radius, colour?}]: spring damper strut actuator rope bar
     arrows           [{name, kind, body, at, channel}]: force torque reaction contact impulse; three channels, base of
                      earth; with `place` instead of `at` the channels of a place that moves
     traces           [{name, body, at}]         columns   [{name, unit, channel}]        events   [[t, name]...]
     ground           {at, normal, step, reach} or null          box   [low, high] of all that is drawn, at all times
     up, view         {towards, up, flat, follow}: where it is seen from
*/
(function (root) {
"use strict";
const FORMAT = 1, FIELD = 28 * Math.PI / 180, FILL = 0.9;
const SOFT = /swiftshader|llvmpipe|software|basic render/i;
/* Steps of quality, best first: samples, shadows of solids on solids, on the floor, segments of a circle, pixels per
   pixel of the screen. */
const LEVELS = [
  { samples: 4, shadows: true, cast: true, segments: 40, pixels: 2 }, { samples: 0, shadows: true, cast: true, segments: 40, pixels: 1 },
  { samples: 0, shadows: false, cast: true, segments: 28, pixels: 1 }, { samples: 0, shadows: false, cast: true, segments: 16, pixels: 0.75 },
  { samples: 0, shadows: false, cast: false, segments: 16, pixels: 0.75 }, { samples: 0, shadows: false, cast: false, segments: 12, pixels: 0.5 }];
const CALM = 250;             // milliseconds between frames that processors draw while an answer is awaited from them
const SLOW = 34, QUICK = 13;  // milliseconds a frame: beyond the first a step down, below the second a step up
const THEMES = {
  light: { back: [0.937, 0.953, 0.969], line: [0.62, 0.67, 0.74], floor: [0.90, 0.92, 0.945], ink: "#1d2733",
    quiet: "#5c6875", paper: "#ffffff", edge: "#d3dbe4", steel: [0.36, 0.40, 0.46], sky: 0.62, key: 0.58 },
  dark: { back: [0.075, 0.09, 0.11], line: [0.30, 0.35, 0.41], floor: [0.11, 0.13, 0.155], ink: "#e6ebf1",
    quiet: "#93a0ae", paper: "#171c22", edge: "#2b333d", steel: [0.60, 0.65, 0.71], sky: 0.50, key: 0.62 } };
const CURVES = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#e08214", "#8073ac"];

// --- small algebra: an affine map is 12 numbers, three rows of a 3x4 matrix ---------------------------------------
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]], add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s], dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = a => Math.hypot(a[0], a[1], a[2]), unit = a => scale(a, 1 / (norm(a) || 1));
const STILL = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0];
function affine(q, p, s) {
  const [w, x, y, z] = q, a = s || [1, 1, 1];
  return [(1 - 2 * (y * y + z * z)) * a[0], 2 * (x * y - w * z) * a[1], 2 * (x * z + w * y) * a[2], p[0],
    2 * (x * y + w * z) * a[0], (1 - 2 * (x * x + z * z)) * a[1], 2 * (y * z - w * x) * a[2], p[1],
    2 * (x * z - w * y) * a[0], 2 * (y * z + w * x) * a[1], (1 - 2 * (x * x + y * y)) * a[2], p[2]];
}
function times(a, b, out, o) {
  for (let r = 0; r < 12; r += 4) {
    const x = a[r], y = a[r + 1], z = a[r + 2];
    out[o + r] = x * b[0] + y * b[4] + z * b[8]; out[o + r + 1] = x * b[1] + y * b[5] + z * b[9];
    out[o + r + 2] = x * b[2] + y * b[6] + z * b[10]; out[o + r + 3] = x * b[3] + y * b[7] + z * b[11] + a[r + 3];
  }
  return out;
}
const after = (a, b) => times(a, b, new Array(12), 0);
const move = (m, p) => [m[0] * p[0] + m[1] * p[1] + m[2] * p[2] + m[3], m[4] * p[0] + m[5] * p[1] + m[6] * p[2] + m[7],
  m[8] * p[0] + m[9] * p[1] + m[10] * p[2] + m[11]];
const shift = (x, y, z) => [1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z];
const stretch = (x, y, z) => [x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0];
function basis(z, beside) {            // three orthonormal columns, the last along z
  z = unit(z);
  let x = beside || [1, 0, 0];
  x = sub(x, scale(z, dot(x, z)));
  if (norm(x) < 1e-3) { x = Math.abs(z[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0]; x = sub(x, scale(z, dot(x, z))); }
  x = unit(x);
  const y = cross(z, x);
  return [x, y, z];
}
function along(from, to, wide, beside) { // the map that takes z = 0...1 to a segment, and a unit circle to radius `wide`
  const d = sub(to, from), l = norm(d), [x, y, z] = basis(l > 0 ? d : [0, 0, 1], beside);
  return [x[0] * wide, y[0] * wide, z[0] * l, from[0], x[1] * wide, y[1] * wide, z[1] * l, from[1],
    x[2] * wide, y[2] * wide, z[2] * l, from[2]];
}
const rgb = text => [1, 3, 5].map(k => parseInt(text.slice(k, k + 2), 16) / 255);
const css = c => "rgb(" + c.map(x => Math.round(255 * x)).join(",") + ")";

// --- the packed table ----------------------------------------------------------------------------------------------
async function unpack(table) {
  const packed = Uint8Array.from(atob(table.data), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const raw = new Uint8Array(await new Response(stream).arrayBuffer()), frames = table.frames;
  const curves = table.channels.map(c => new Float64Array(frames).fill(c[0]));
  let place = 0;
  for (const size of [2, 4]) {
    const rows = table.channels.flatMap((c, k) => c[2] === size ? [k] : []), count = rows.length * frames;
    rows.forEach((k, r) => {
      const [lo, step] = table.channels[k];
      let speed = 0, value = 0;
      for (let f = 0; f < frames; f++) {
        let second = 0;
        for (let b = size - 1; b >= 0; b--) second = second * 256 + raw[place + b * count + r * frames + f];
        speed += second; value += speed;
        if (size === 2) { speed &= 0xffff; value &= 0xffff; } else { speed >>>= 0; value >>>= 0; }
        curves[k][f] = lo + step * value;
      }
    });
    place += size * count;
  }
  return curves;
}

// --- meshes: positions, normals, triangles -------------------------------------------------------------------------
function lathe(profile, n) {           // profile: [[r, z, nr, nz, r, z, nr, nz]...], each a strip around the z axis
  const points = [], normals = [], faces = [];
  for (const [r0, z0, a0, b0, r1, z1, a1, b1] of profile) {
    const first = points.length / 3;
    for (let k = 0; k <= n; k++) {
      const t = 2 * Math.PI * k / n, c = Math.cos(t), s = Math.sin(t);
      points.push(r0 * c, r0 * s, z0, r1 * c, r1 * s, z1);
      normals.push(a0 * c, a0 * s, b0, a1 * c, a1 * s, b1);
      if (k < n) { const i = first + 2 * k; if (r0 > 0) faces.push(i, i + 2, i + 1); if (r1 > 0) faces.push(i + 1, i + 2, i + 3); }
    }
  }
  return { points, normals, faces };
}
const disc = (z, s, r, inner) => s > 0 ? [r, z, 0, 1, inner || 0, z, 0, 1] : [inner || 0, z, 0, -1, r, z, 0, -1];
function bowl(n, from, to, z) {          // of a unit sphere at height z, the strips between two latitudes in eighths of a turn
  const strips = [], m = Math.max(to - from, Math.round(n / 8) * (to - from)), at = k => Math.PI / 4 * (from + (to - from) * k / m);
  const round = k => Math.abs(at(k)) > 1.57 ? 0 : Math.cos(at(k)), rise = k => Math.sin(at(k));
  for (let k = 0; k < m; k++) strips.push([round(k), z + rise(k), round(k), rise(k), round(k + 1), z + rise(k + 1), round(k + 1), rise(k + 1)]);
  return strips;
}
function tubeAlong(path, n, wide, wideZ) { // a wire along a path of points, round in the plane across it
  const points = [], normals = [], faces = [], m = path.length;
  for (let i = 0; i < m; i++) {
    const d = sub(path[Math.min(i + 1, m - 1)], path[Math.max(i - 1, 0)]);
    const radial = [path[i][0], path[i][1], 0], [x, , ] = basis(d, norm(radial) > 1e-6 ? radial : [1, 0, 0]);
    for (let k = 0; k <= n; k++) {
      const t = 2 * Math.PI * k / n, c = Math.cos(t), s = Math.sin(t);
      points.push(path[i][0] + x[0] * c * wide, path[i][1] + x[1] * c * wide, path[i][2] + s * wideZ);
      normals.push(x[0] * c, x[1] * c, s);
      if (i < m - 1 && k < n) { const a = i * (n + 1) + k, b = a + n + 1; faces.push(a, b, a + 1, a + 1, b, b + 1); }
    }
  }
  return { points, normals, faces, both: true };
}
const MESHES = {
  box() {
    const points = [], normals = [], faces = [];
    for (let axis = 0; axis < 3; axis++) for (const s of [-1, 1]) {
      const first = points.length / 3, u = (axis + 1) % 3, v = (axis + 2) % 3;
      for (const [a, b] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
        const p = [0, 0, 0], n = [0, 0, 0];
        p[axis] = s / 2; p[u] = s * a / 2; p[v] = b / 2; n[axis] = s;
        points.push(...p); normals.push(...n);
      }
      faces.push(first, first + 1, first + 2, first, first + 2, first + 3);
    }
    return { points, normals, faces };
  },
  sphere: n => lathe(bowl(n, -2, 2, 0), n),
  capsule(n, half) {                    // radius 1, its middle line from -half to half
    return lathe([...bowl(n, -2, 0, -half), [1, -half, 1, 0, 1, half, 1, 0], ...bowl(n, 0, 2, half)], n);
  },
  cylinder: n => lathe([[1, -0.5, 1, 0, 1, 0.5, 1, 0], disc(0.5, 1, 1), disc(-0.5, -1, 1)], n),
  stick: n => lathe([[1, 0, 1, 0, 1, 1, 1, 0], disc(1, 1, 1), disc(0, -1, 1)], n),
  cone: n => lathe([[1, -0.25, 0.8, 0.6, 0, 0.75, 0.8, 0.6], disc(-0.25, -1, 1)], n),
  tip: n => lathe([[1, 0, 0.9, 0.43, 0, 1, 0.9, 0.43], disc(0, -1, 1)], n),
  tube(n, inner) {
    return lathe([[1, -0.5, 1, 0, 1, 0.5, 1, 0], disc(0.5, 1, 1, inner), disc(-0.5, -1, 1, inner),
      [inner, 0.5, -1, 0, inner, -0.5, -1, 0]], n);
  },
  torus(n, thin) {                      // outer radius 1, its section of radius `thin`
    const strips = [], m = Math.max(6, n / 2.5 | 0);
    for (let k = 0; k < m; k++) {
      const a = 2 * Math.PI * k / m, b = 2 * Math.PI * (k + 1) / m, f = Math.cos, g = Math.sin, r = 1 - thin;
      strips.push([r + thin * f(a), thin * g(a), f(a), g(a), r + thin * f(b), thin * g(b), f(b), g(b)]);
    }
    return lathe(strips, n);
  },
  arc(n) {                              // three quarters of a ring of radius 1: a torque
    const path = [];
    for (let k = 0; k <= n; k++) { const t = 1.5 * Math.PI * k / n; path.push([Math.cos(t), Math.sin(t), 0]); }
    return tubeAlong(path, 8, 0.07, 0.07);
  },
  helix(n, turns, wide) {               // z = 0...1, radius 1; `wide`: half the wire along z
    const path = [[0, 0, 0]], steps = Math.max(10, n / 2 | 0) * turns;
    for (let k = 0; k <= steps; k++) {
      const t = 2 * Math.PI * turns * k / steps;
      path.push([0.84 * Math.cos(t), 0.84 * Math.sin(t), 0.08 + 0.84 * k / steps]);
    }
    path.push([0, 0, 1]);
    return tubeAlong(path, 7, 0.16, wide);
  },
  gear(n, teeth) {                      // pitch radius 1, z = -0.5...0.5
    const ring = [], points = [], normals = [], faces = [], h = Math.min(0.11, 2.2 / teeth);
    for (let k = 0; k < teeth; k++) for (const [a, r] of [[0, 1 - h], [0.22, 1 - h], [0.36, 1 + h], [0.64, 1 + h], [0.78, 1 - h]]) {
      const t = 2 * Math.PI * (k + a) / teeth;
      ring.push([r * Math.cos(t), r * Math.sin(t)]);
    }
    ring.forEach((p, i) => {
      const q = ring[(i + 1) % ring.length], nx = q[1] - p[1], ny = p[0] - q[0], l = Math.hypot(nx, ny) || 1, f = points.length / 3;
      points.push(p[0], p[1], -0.5, q[0], q[1], -0.5, p[0], p[1], 0.5, q[0], q[1], 0.5);
      for (let j = 0; j < 4; j++) normals.push(nx / l, ny / l, 0);
      faces.push(f, f + 1, f + 2, f + 2, f + 1, f + 3);
      for (const s of [-1, 1]) {
        const c = points.length / 3;
        points.push(0, 0, s / 2, p[0], p[1], s / 2, q[0], q[1], s / 2); normals.push(0, 0, s, 0, 0, s, 0, 0, s);
        if (s > 0) faces.push(c, c + 1, c + 2); else faces.push(c, c + 2, c + 1);
      }
    });
    return { points, normals, faces };
  }
};
function givenMesh(mesh) {              // flat shaded: every triangle has its own corners
  const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer;
  const p = new Float32Array(bytes(mesh.points)), f = new Uint32Array(bytes(mesh.triangles)), points = [], normals = [], faces = [];
  for (let i = 0; i < f.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map(k => [p[3 * f[i + k]], p[3 * f[i + k] + 1], p[3 * f[i + k] + 2]]);
    const n = unit(cross(sub(b, a), sub(c, a)));
    points.push(...a, ...b, ...c); normals.push(...n, ...n, ...n); faces.push(i, i + 1, i + 2);
  }
  return { points, normals, faces, both: true };
}

// --- shaders -------------------------------------------------------------------------------------------------------
/* The map and the colour of an item: four texels, 256 items in a row. */
const ITEM = `
layout(location=0) in vec3 p; layout(location=1) in vec3 n; layout(location=2) in float item; uniform sampler2D items;
vec4 r0, r1, r2;
vec3 placed() {
  ivec2 at = ivec2(4 * (int(item) % 256), int(item) / 256); vec4 h = vec4(p, 1.0);
  r0 = texelFetch(items, at, 0); r1 = texelFetch(items, at + ivec2(1, 0), 0); r2 = texelFetch(items, at + ivec2(2, 0), 0);
  return vec3(dot(r0, h), dot(r1, h), dot(r2, h));
}`;
const SOLID_VS = `#version 300 es${ITEM}
uniform mat4 see, light; out vec3 vn, vw, vl; out vec4 vt, vs;
void main() {
  vec3 w = placed();
  vec3 a = vec3(r0.x, r1.x, r2.x), b = vec3(r0.y, r1.y, r2.y), c = vec3(r0.z, r1.z, r2.z);
  float side = sign(dot(a, cross(b, c)));
  vn = side * (cross(b, c) * n.x + cross(c, a) * n.y + cross(a, b) * n.z);
  vt = texelFetch(items, ivec2(4 * (int(item) % 256) + 3, int(item) / 256), 0);
  vw = w; vl = p; vs = light * vec4(w, 1.0); gl_Position = see * vec4(w, 1.0);
}`;
const DEPTH_VS = `#version 300 es${ITEM}
uniform mat4 see; void main() { gl_Position = see * vec4(placed(), 1.0); }`;
/* A shadow on the floor: what casts it, moved along the light onto the plane. */
const CAST_VS = `#version 300 es${ITEM}
uniform mat4 see; uniform vec3 sun, normal, at; uniform float reach; out float dark;
void main() {
  vec3 w = placed(); w -= sun * (dot(w - at, normal) / dot(sun, normal));
  dark = 0.30 * (1.0 - smoothstep(0.35, 1.0, length(w - at) / reach)); gl_Position = see * vec4(w, 1.0); gl_Position.z -= 1e-5 * gl_Position.w;
}`;
const CAST_FS = `#version 300 es
precision mediump float; in float dark; out vec4 colour; void main() { colour = vec4(0.0, 0.0, 0.0, dark); }`;
const SOLID_FS = `#version 300 es
precision highp float; precision highp sampler2DShadow;
in vec3 vn, vw, vl; in vec4 vt, vs; out vec4 colour;
uniform vec3 sun, up, eye; uniform float sky, key, shadows, alpha; uniform sampler2DShadow map;
float lit(vec4 s, float slope) {
  vec3 q = s.xyz / s.w * 0.5 + 0.5;
  if (any(lessThan(q, vec3(0.0))) || any(greaterThan(q, vec3(1.0)))) return 1.0;
  return texture(map, vec3(q.xy, q.z - slope));
}
void main() {
  vec3 n = normalize(vn), e = normalize(eye - vw); if (dot(n, e) < 0.0) n = -n;
  float d = max(dot(n, sun), 0.0), k = floor(vt.a + 0.01);
  if (shadows > 0.5 && d > 0.0) d *= lit(vs, 0.0025 + 0.004 * (1.0 - d));
  vec3 c = vt.rgb;
  if (k == 1.0) c *= vl.x * vl.y * vl.z > 0.0 ? 1.0 : 0.80;
  if (k == 2.0) c *= vl.x * vl.y > 0.0 ? 1.0 : 0.82;
  float a = sky * (0.72 + 0.28 * dot(n, up)) + 0.07 * max(dot(n, e), 0.0);
  float s = max(dot(n, normalize(sun + e)), 0.0), rim = 1.0 - max(dot(n, e), 0.0);   // products: processors that draw are slow at powers
  s *= s; s *= s; s *= s; s *= s * s; s *= s * 0.22 * step(0.01, d); rim *= rim * rim * 0.10;
  colour = vec4(c * (a + key * d) + s + rim, alpha * (1.0 - fract(vt.a + 0.01) + 0.01));
}`;
const DEPTH_FS = `#version 300 es
precision mediump float; void main() {}`;
const FLOOR_VS = `#version 300 es
layout(location=0) in vec2 p; uniform mat4 see; uniform vec3 at, u, v, u0, v0, origin; uniform float cell; out vec2 g, q;
void main() { vec3 w = at + u * p.x + v * p.y; g = p; q = vec2(dot(w - origin, u0), dot(w - origin, v0)) / cell; gl_Position = see * vec4(w, 1.0); }`;
const FLOOR_FS = `#version 300 es
precision highp float; in vec2 g, q; out vec4 colour; uniform vec3 line, floorColour; uniform float below;
void main() {
  vec2 w = fwidth(q), f = abs(fract(q - 0.5) - 0.5) / max(w, vec2(1e-6)); float k = 1.0 - min(min(f.x, f.y), 1.0);
  k *= 1.0 - smoothstep(0.25, 0.6, max(w.x, w.y));
  colour = vec4(mix(floorColour, line, 0.65 * k), below * (1.0 - smoothstep(0.35, 1.0, length(g))));
}`;
const LINE_VS = `#version 300 es
layout(location=0) in vec2 p; layout(location=1) in vec4 a; layout(location=2) in vec4 b;
uniform mat4 see; uniform vec2 pixel; uniform float now, tail; out float vf;
void main() {
  vec4 x = see * vec4(a.xyz, 1.0), y = see * vec4(b.xyz, 1.0); vec2 d = y.xy / y.w - x.xy / x.w; d /= pixel;
  float l = length(d); d = l > 0.0 ? d / l : vec2(1.0, 0.0); vec2 o = vec2(-d.y, d.x) * p.y + d * (p.x * 2.0 - 1.0) * 0.5;
  vec4 c = p.x < 0.5 ? x : y; c.xy += o * pixel * 1.3 * c.w; c.z -= 1e-4 * c.w; gl_Position = c;
  float t = p.x < 0.5 ? a.w : b.w; vf = t > now ? 0.0 : mix(0.25, 0.95, exp((t - now) / tail));
}`;
const LINE_FS = `#version 300 es
precision mediump float; in float vf; uniform vec3 tint; out vec4 colour; void main() { if (vf <= 0.0) discard; colour = vec4(tint, vf); }`;
function program(gl, vs, fs) {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vs], [gl.FRAGMENT_SHADER, fs]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text); gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  const names = {}, count = gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS) || 0;
  for (let k = 0; k < count; k++) { const n = gl.getActiveUniform(made, k).name; names[n] = gl.getUniformLocation(made, n); }
  return { made, names };
}

// --- what is drawn: items, each one mesh under one map -------------------------------------------------------------
function itemsOf(scene, theme) {
  const items = [], steel = theme.steel, dark = [0.16, 0.175, 0.20];
  const put = (layer, what, body, mesh, local, tint, pattern, more) =>
    items.push(Object.assign({ layer, what, body, mesh, local, tint, pattern: pattern || 0 }, more));
  scene.bodies.forEach((body, k) => {
    const what = { type: "body", name: body.name, number: k };
    for (const s of body.shapes) {
      const tint = k === 0 ? (s.colour ? rgb(s.colour) : scale(theme.line, 1.02)) : rgb(s.colour || body.colour), z = s.size;
      const place = affine(s.turn, s.at), on = (mesh, local, c, pattern) =>
        put("body", what, k, mesh, after(place, local), c || tint, pattern, k === 0 ? { fade: 0.35 } : null);
      if (s.kind === "box") on("box", stretch(z[0], z[1], z[2]));
      else if (s.kind === "sphere") on("sphere", stretch(z[0], z[0], z[0]), null, 1);
      else if (s.kind === "ellipsoid") on("sphere", stretch(z[0], z[1], z[2]), null, 1);
      else if (s.kind === "cylinder") on("cylinder", stretch(z[0], z[0], z[1]), null, 2);
      else if (s.kind === "tube") on("tube:" + (z[0] / z[1]).toFixed(3), stretch(z[1], z[1], z[2]), null, 2);
      else if (s.kind === "cone") on("cone", stretch(z[0], z[0], z[1]), null, 2);
      else if (s.kind === "capsule") on("capsule:" + (z[1] / (2 * z[0])).toFixed(3), stretch(z[0], z[0], z[0]));
      else if (s.kind === "wheel") {
        const thin = Math.min(0.22, Math.max(0.07, z[1] / (2 * z[0]))), w = z[1];
        on("torus:" + thin.toFixed(3), stretch(z[0], z[0], Math.max(w / 2, thin * z[0]) / thin), dark);
        on("tube:0.880", stretch(z[0] * (1 - 1.5 * thin), z[0] * (1 - 1.5 * thin), 0.7 * w));
        on("cylinder", stretch(0.15 * z[0], 0.15 * z[0], 1.25 * w));
        for (let i = 0; i < 3; i++) {
          const a = Math.PI * i / 3, c = Math.cos(a), d = Math.sin(a);
          on("box", after([c, -d, 0, 0, d, c, 0, 0, 0, 0, 1, 0], stretch(1.8 * z[0] * (1 - 1.5 * thin), 0.09 * z[0], 0.4 * w)),
            i ? null : scale(tint, 0.62));
        }
      } else if (s.kind === "gear") {
        on("gear:" + Math.max(6, Math.round(z[2])), stretch(z[0], z[0], z[1]), null, 2);
        on("cylinder", stretch(0.22 * z[0], 0.22 * z[0], 1.4 * z[1]), scale(tint, 0.7));
      } else if (s.kind === "mesh") on("mesh:" + z[0], STILL);
    }
    if (k && body.centre) {
      const r = 0.012 * scene.size;
      put("centre", what, k, "sphere", after(shift(...body.centre), stretch(r, r, r)), [0.08, 0.09, 0.1], 1, { over: true });
    }
    if (k) [[1, 0.25, 0.25], [0.2, 0.7, 0.3], [0.25, 0.45, 1]].forEach((tint, axis) => {
      const l = 0.09 * scene.size, end = [0, 0, 0];
      end[axis] = l;
      put("frame", what, k, "stick", along([0, 0, 0], end, 0.04 * l), tint);
      put("frame", what, k, "tip", along(end, scale(end, 1.3), 0.1 * l), tint);
    });
  });
  for (const j of scene.joints) {
    const what = { type: "joint", name: j.name, kind: j.kind }, s = j.size, place = affine(j.turn, j.at);
    const on = (mesh, local, c) => put("joint", what, j.body, mesh, after(place, local), c || steel);
    const there = (mesh, local, c) => put("joint", what, j.other, mesh, after(affine(j.there.turn, j.there.at), local), c || steel);
    if (j.kind === "hinge") {
      on("cylinder", stretch(1.75 * s, 1.75 * s, 2.5 * s)); on("cylinder", stretch(1.0 * s, 1.0 * s, 3.6 * s), scale(steel, 1.35));
    } else if (j.kind === "slide" || j.kind === "cylinder") {
      const l = j.high - j.low + 7 * s, mid = (j.high + j.low) / 2, round = j.kind === "cylinder";
      on(round ? "cylinder" : "box", after(shift(0, 0, mid), round ? stretch(0.6 * s, 0.6 * s, l) : stretch(1.1 * s, 1.1 * s, l)), scale(steel, 1.25));
      if (round) on("tube:0.500", stretch(1.5 * s, 1.5 * s, 3 * s)); else there("box", stretch(2.5 * s, 2.5 * s, 3.4 * s));
    } else if (j.kind === "screw") {
      on("helix:8:" + (0.05).toFixed(4), after(shift(0, 0, -7 * s), stretch(1.3 * s, 1.3 * s, 14 * s)), scale(steel, 1.2));
      on("cylinder", stretch(0.9 * s, 0.9 * s, 14 * s));
    } else if (j.kind === "universal") {
      on("cylinder", stretch(0.8 * s, 0.8 * s, 4.4 * s), scale(steel, 1.3));
      on("cylinder", after([0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 0], stretch(0.8 * s, 0.8 * s, 4.4 * s)), scale(steel, 1.3));
      on("sphere", stretch(1.5 * s, 1.5 * s, 1.5 * s));
    } else if (j.kind === "ball") on("sphere", stretch(1.9 * s, 1.9 * s, 1.9 * s));
    if (j.body === 0 && j.kind !== "slide" && j.kind !== "cylinder") {           // a bracket that says: earth
      const axis = [place[2], place[6], place[10]], up = scene.up, upright = Math.abs(dot(axis, up)) > 0.9 && j.kind === "hinge";
      const foot = add(j.at, scale(up, upright ? -3.2 * s : -4.6 * s));
      put("joint", what, 0, upright ? "stick" : "tip", along(foot, add(j.at, scale(up, upright ? -1 * s : 0)), (upright ? 2.4 : 3.1) * s), scale(steel, 0.9));
      put("joint", what, 0, "stick", along(add(foot, scale(up, -0.7 * s)), foot, 4.2 * s), scale(steel, 0.75));
    }
  }
  for (const t of scene.ties) {
    const what = { type: "tie", name: t.name, kind: t.kind }, r = t.radius, tint = t.colour ? rgb(t.colour) : steel;
    for (let k = 0; k + 1 < t.points.length; k++) {
      const ends = [t.points[k], t.points[k + 1]], on = (mesh, from, to, wide, c) =>
        put("tie", what, -1, mesh, null, c || tint, 0, { ends, from, to, wide });
      if (t.kind === "spring" || t.kind === "strut") on("helix:" + (t.turns || 9) + ":" + (t.wire || 0.012).toFixed(4), 0, 1, r, t.colour ? tint : [0.72, 0.45, 0.16]);
      if (t.kind === "damper" || t.kind === "strut" || t.kind === "actuator") {
        const thin = t.kind === "strut" ? 0.5 : 1;
        on("stick", 0, 0.58, 0.72 * r * thin, t.kind === "actuator" ? [0.2, 0.45, 0.62] : steel); on("stick", 0.3, 1, 0.36 * r * thin, scale(steel, 1.35));
      }
      if (t.kind === "rope" || t.kind === "bar") on("stick", 0, 1, r, t.kind === "rope" ? [0.66, 0.56, 0.40] : tint);
    }
  }
  const kinds = { force: [0.85, 0.20, 0.20], torque: [0.80, 0.42, 0.08], reaction: [0.13, 0.50, 0.65], impulse: [0.95, 0.62, 0.05], contact: [0.13, 0.55, 0.25] };
  scene.arrows.forEach((a, number) => {
    const what = { type: "arrow", name: a.name, kind: a.kind, arrow: a }, tint = kinds[a.kind] || kinds.force;
    const meshes = a.kind === "torque" ? ["arc", "tip"] : ["stick", "tip"];
    const over = a.kind === "contact" || a.kind === "impulse";  // they push into bodies: seen through them
    meshes.forEach((mesh, part) => put("arrow", what, -1, mesh, null, tint, 0, { arrow: number, part, over }));
  });
  return items;
}

// --- the view ------------------------------------------------------------------------------------------------------
function DalembertView(element, scene, options) {
  const settings = Object.assign({ speed: 1, loop: true, dark: "auto", joints: true, traces: true, arrows: true, frames: false,
    centres: false, names: false, ghosts: false, ground: true, plots: false, follow: "auto", hidden: [], controls: true, autoplay: true,
    quality: "auto", calm: false }, options || {});
  const listeners = {}, ui = makeUi(element, settings), canvas = ui.canvas;
  const gl = canvas.getContext("webgl2", { antialias: false, alpha: true, stencil: true, powerPreference: "high-performance" });
  const view = { settings };
  if (!gl) { ui.say("This browser has no WebGL2, so the machine cannot be shown here. Any browser of the last years has it."); }
  let data = null, curves = [], items = [], groups = [], camera = null, moved = false, time = 0, playing = false, dead = false;
  let level = 1, last = 0, mean = 0, slow = 0, quick = 0, drawn = 0, pending = 0, still = 0, theme = THEMES.light, traces = [], wait = 0;
  const soft = gl && SOFT.test(rendererName(gl));
  level = soft ? 1 : 0;
  const shaders = gl && { solid: program(gl, SOLID_VS, SOLID_FS), depth: program(gl, DEPTH_VS, DEPTH_FS), cast: program(gl, CAST_VS, CAST_FS),
    floor: program(gl, FLOOR_VS, FLOOR_FS), line: program(gl, LINE_VS, LINE_FS) };
  const shapes = new Map();             // mesh and segments -> points, normals, faces
  let target = null, shadow = null, quad = null;
  const backdrop = { key: "", drawn: false };
  const see = new Float32Array(16), light = new Float32Array(16);

  const emit = (name, value) => (listeners[name] || []).forEach(f => f(value));
  const spanOf = () => data ? [data.times[0], data.times[data.times.length - 1]] : [0, 0];

  // poses at a time
  function frameAt(t) {
    const ts = data.times; let a = 0, b = ts.length - 1;
    if (t >= ts[b]) return [b, b, 0];
    while (b - a > 1) { const m = (a + b) >> 1; if (ts[m] <= t) a = m; else b = m; }
    const gap = ts[b] - ts[a];
    return [a, b, gap > 0 ? Math.min(1, Math.max(0, (t - ts[a]) / gap)) : 0];
  }
  const valueAt = (channel, f) => curves[channel][f[0]] * (1 - f[2]) + curves[channel][f[1]] * f[2];
  function poseAt(body, f) {
    if (body <= 0) return STILL;
    const c = 7 * (body - 1), p = [valueAt(c, f), valueAt(c + 1, f), valueAt(c + 2, f)], q = [0, 0, 0, 0];
    let s = 0;
    for (let k = 0; k < 4; k++) { q[k] = valueAt(c + 3 + k, f); s += q[k] * q[k]; }
    s = 1 / Math.sqrt(s || 1);
    for (let k = 0; k < 4; k++) q[k] *= s;
    return affine(q, p);
  }
  const posesAt = t => { const f = frameAt(t); return data.bodies.map((_, k) => poseAt(k, f)); };

  // camera: angles about the upright, target, distance
  function makeCamera() {
    const up = data.view.up, axis = [0, 1, 2].reduce((a, b) => Math.abs(up[b]) > Math.abs(up[a]) ? b : a, 0), e = [0, 0, 0];
    e[(axis + 1) % 3] = 1;
    const first = unit(sub(e, scale(up, dot(e, up)))), second = cross(up, first);
    return { up, first, second, axis, turn: 0, rise: 0, target: [0, 0, 0], distance: 1 };
  }
  function lookFrom(towards) {
    const t = unit(towards);
    camera.rise = Math.asin(Math.max(-1, Math.min(1, dot(t, camera.up))));
    if (Math.abs(camera.rise) < 1.55) camera.turn = Math.atan2(dot(t, camera.second), dot(t, camera.first));
  }
  function axes() {
    const c = Math.cos(camera.rise), s = Math.sin(camera.rise), a = add(scale(camera.first, Math.cos(camera.turn)), scale(camera.second, Math.sin(camera.turn)));
    const back = add(scale(a, c), scale(camera.up, s)), up = add(scale(a, -s), scale(camera.up, c));
    return { back, up, right: cross(up, back) };
  }
  const following = () => settings.follow === "auto" ? (data.view.follow ? -1 : 0) : data.bodies.findIndex((b, k) => k && b.name === settings.follow);
  function followed(poses) {
    const who = following();
    if (who === 0) return [0, 0, 0];
    const of = k => move(poses[k], data.bodies[k].centre || [0, 0, 0]);
    if (who > 0) return of(who);
    let sum = [0, 0, 0], count = 0;
    for (let k = 1; k < poses.length; k++) if (data.bodies[k].shapes.length) { sum = add(sum, of(k)); count++; }
    return scale(sum, 1 / Math.max(1, count));
  }
  /* Corners of all that is drawn at sampled frames, seen from what is followed. */
  function cloud() {
    const ts = data.times, points = [], most = Math.max(24, Math.min(ts.length, 60000 / (8 * items.length) | 0)), step = Math.max(1, (ts.length - 1) / most);
    const frames = [], g = data.ground;
    let lowest = 0;
    for (let x = 0; x < ts.length - 1; x += step) frames.push(Math.round(x));
    frames.push(ts.length - 1);
    const solid = items.filter(i => i.local && (i.layer === "body" || i.layer === "joint") && !(i.body === 0 && following()));
    for (const frame of frames) {
      const f = [frame, frame, 0], poses = data.bodies.map((_, k) => poseAt(k, f)), centre = followed(poses);
      for (const item of solid) {
        const b = boundsOf(item.mesh), m = after(poses[item.body], item.local);
        if (g && item.layer === "body") lowest = Math.min(lowest, lowestOf(item.mesh, b, m, g));
        for (let c = 0; c < 8; c++) points.push(sub(move(m, [b[c & 1 ? 1 : 0][0], b[c & 2 ? 1 : 0][1], b[c & 4 ? 1 : 0][2]]), centre));
      }
      for (const tie of data.ties) for (const p of tie.points) if (p[0] || !following()) points.push(sub(move(poses[p[0]], p.slice(1)), centre));
      for (const a of data.arrows) for (const p of arrowEnds(a, poses, f)) points.push(sub(p, centre));
    }
    if (!points.length) points.push([0, 0, 0], [1, 1, 1]);
    data.sinks = lowest < -0.01 * data.size;      // less is not seen
    return points;
  }
  /* How far above the ground an item reaches least: what is round does so by its circles, not by the corners of its box. */
  function lowestOf(mesh, [low, high], m, g) {
    const n = g.normal, along = k => m[k] * n[0] + m[4 + k] * n[1] + m[8 + k] * n[2], [x, y, z] = [along(0), along(1), along(2)], here = dot(sub([m[3], m[7], m[11]], g.at), n);
    if (mesh === "sphere") return here - Math.hypot(x, y, z);
    const upright = Math.min(z * low[2], z * high[2]);
    if (mesh === "box" || mesh.startsWith("mesh")) return here + Math.min(x * low[0], x * high[0]) + Math.min(y * low[1], y * high[1]) + upright;
    return here - high[0] * Math.hypot(x, y) + upright;
  }
  let points = null, bounds = new Map();
  function boundsOf(key) {
    if (!bounds.has(key)) {
      const p = meshOf(key, 12).points, low = [1e9, 1e9, 1e9], high = [-1e9, -1e9, -1e9];
      for (let i = 0; i < p.length; i++) { const k = i % 3; low[k] = Math.min(low[k], p[i]); high[k] = Math.max(high[k], p[i]); }
      bounds.set(key, [low, high]);
    }
    return bounds.get(key);
  }
  function fit() {
    points = points || cloud();
    const { back, up, right } = axes(), aspect = Math.max(0.1, canvas.clientWidth / Math.max(1, canvas.clientHeight));
    const ty = Math.tan(FIELD / 2) * (aspect < 1 ? 1 / Math.sqrt(aspect) : 1) * FILL, tx = Math.tan(FIELD / 2) * (aspect < 1 ? 1 / Math.sqrt(aspect) : 1) * aspect * FILL;
    let A = -1e99, B = -1e99, C = -1e99, D = -1e99, near = 1e99;
    for (const p of points) {
      const a = dot(p, right), b = dot(p, up), d = -dot(p, back);
      A = Math.max(A, a - tx * d); B = Math.max(B, -a - tx * d); C = Math.max(C, b - ty * d); D = Math.max(D, -b - ty * d); near = Math.min(near, d);
    }
    const depth = Math.min(-(A + B) / (2 * tx), -(C + D) / (2 * ty));
    const eye = add(add(scale(right, (A - B) / 2), scale(up, (C - D) / 2)), scale(back, -depth));
    let far = -1e99;
    for (const p of points) far = Math.max(far, -dot(p, back));
    camera.distance = Math.max((near + far) / 2 - depth, 1e-3 * data.size);
    camera.target = sub(eye, scale(back, camera.distance));
    moved = false;
  }
  const VIEWS = {
    fit: () => lookFrom(data.view.towards),
    iso: () => lookFrom(add(add(scale(camera.first, 0.62), scale(camera.second, -0.68)), scale(camera.up, 0.5))),
    front: () => lookFrom(data.view.flat && Math.abs(dot(data.view.flat, camera.up)) < 0.5
      ? scale(data.view.flat, Math.sign(dot(data.view.flat, data.view.towards)) || 1) : camera.axis === 1 ? camera.first : scale(camera.second, -1)),
    side: () => lookFrom(camera.axis === 1 ? camera.second : camera.first),
    top: () => { VIEWS.front(); lookFrom(camera.up); }
  };
  function look(name) { (VIEWS[name] || VIEWS.fit)(); fit(); ask(); }

  // meshes on the card
  function meshOf(key, segments) {
    const [name, ...numbers] = key.split(":");
    return name === "mesh" ? givenMesh(data.meshes[+numbers[0]]) : MESHES[name](segments, ...numbers.map(Number));
  }
  function shapeOf(key, segments) {
    const round = key === "box" || key.startsWith("mesh") || key.startsWith("gear") ? 0 : segments, full = key + "|" + round;
    if (!shapes.has(full)) shapes.set(full, meshOf(key, segments));
    return shapes.get(full);
  }
  function wideOf(item) {               // the largest radius of what is round in it
    if (!item.local) return item.wide || 0.05 * data.size;
    const m = item.local, columns = item.mesh === "sphere" ? [0, 1, 2] : [0, 1];
    return Math.max(...columns.map(c => Math.hypot(m[c], m[4 + c], m[8 + c])));
  }
  /* Items that are drawn alike are one mesh: each vertex knows its item, whose map and colour lie in a texture.
     Processors that draw pay for every draw, hardly for a vertex. */
  function regroup() {
    const layers = { body: true, joint: settings.joints, tie: true, arrow: settings.arrows, frame: settings.frames, centre: settings.centres };
    const hidden = new Set(settings.hidden), found = new Map();
    for (const item of items) {
      if (!layers[item.layer] || (item.layer !== "joint" && hidden.has(item.what.name)) || (item.body === 0 && item.fade && !settings.ground)) continue;
      const both = /^(helix|arc|mesh)/.test(item.mesh), key = [!!item.over, !!item.fade, both].join();
      if (!found.has(key)) found.set(key, { over: !!item.over, clear: !!item.fade, both, list: [] });
      found.get(key).list.push(item);
    }
    for (const old of groups) if (old.vao) { gl.deleteVertexArray(old.vao); gl.deleteBuffer(old.vertices); gl.deleteBuffer(old.faces); gl.deleteTexture(old.texture); }
    groups = [...found.values()];
    for (const group of groups) {
      group.rows = Math.ceil(group.list.length / 256); group.columns = Math.min(256, group.list.length);
      group.values = new Float32Array(16 * group.columns * group.rows);
    }
  }
  /* A circle has as many sides as keep it within a quarter of a pixel, seen from within a factor of the distance. */
  function assemble(group, most) {
    const zoom = Math.round(2 * Math.log2(canvas.height / (2 * Math.tan(FIELD / 2) * 0.6 * camera.distance))), near = 2 ** (zoom / 2 + 0.25);
    if (group.vao && group.most === most && group.zoom === zoom) return;
    const made = group.list.map(item => shapeOf(item.mesh, Math.max(6, Math.min(most, 2 * Math.ceil(Math.PI * Math.sqrt(2 * near * wideOf(item)) / 2)))));
    const vertices = new Float32Array(7 * made.reduce((n, m) => n + m.points.length / 3, 0)), faces = new Uint32Array(made.reduce((n, m) => n + m.faces.length, 0));
    let v = 0, f = 0;
    made.forEach((mesh, item) => {
      const first = v / 7;
      for (let k = 0; k < mesh.points.length; k += 3) {
        for (let c = 0; c < 3; c++) { vertices[v + c] = mesh.points[k + c]; vertices[v + 3 + c] = mesh.normals[k + c]; }
        vertices[v + 6] = item; v += 7;
      }
      for (const face of mesh.faces) faces[f++] = first + face;
    });
    if (!group.vao) {
      group.vao = gl.createVertexArray(); group.vertices = gl.createBuffer(); group.faces = gl.createBuffer(); group.texture = gl.createTexture();
      gl.activeTexture(gl.TEXTURE1); gl.bindTexture(gl.TEXTURE_2D, group.texture);
      gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, 4 * group.columns, group.rows);
      for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
      group.stale = true;
    }
    gl.bindVertexArray(group.vao);
    gl.bindBuffer(gl.ARRAY_BUFFER, group.vertices); gl.bufferData(gl.ARRAY_BUFFER, vertices, gl.STATIC_DRAW);
    for (const [slot, size, place] of [[0, 3, 0], [1, 3, 12], [2, 1, 24]]) { gl.enableVertexAttribArray(slot); gl.vertexAttribPointer(slot, size, gl.FLOAT, false, 28, place); }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, group.faces); gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, faces, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    Object.assign(group, { most, zoom, count: faces.length });
  }
  const arrowScale = {};
  function measureArrows() {
    for (const kind of ["force", "torque", "reaction", "impulse", "contact"]) {
      let most = 0;
      for (const a of data.arrows) if (a.kind === kind) for (let f = 0; f < data.times.length; f++)
        most = Math.max(most, Math.hypot(curves[a.channel][f], curves[a.channel + 1][f], curves[a.channel + 2][f]));
      arrowScale[kind] = most > 0 ? 0.28 * data.size / most : 0;
    }
  }
  /* Where an arrow begins and ends; a torque is a ring about its place, as wide at most. */
  function arrowEnds(a, poses, f) {
    const from = a.at ? move(poses[a.body], a.at) : [0, 1, 2].map(k => valueAt(a.place + k, f)), w = scale([0, 1, 2].map(k => valueAt(a.channel + k, f)), arrowScale[a.kind]);
    if (norm(w) < 0.004 * data.size) return [];
    if (a.kind !== "torque") return [from, add(from, w)];
    const R = Math.max(0.05 * data.size, 0.5 * norm(w)) * 1.2, [x, y] = basis(unit(w));
    return [1, -1].flatMap(s => [add(from, scale(x, s * R)), add(from, scale(y, s * R))]);
  }
  function fillGroups(poses, f) {
    for (const group of groups) {
      let o = -16;
      group.stale = true;
      for (const item of group.list) {
        const v = group.values;
        o += 16;
        if (item.local) times(poses[item.body], item.local, v, o);
        else if (item.ends) {
          const [a, b] = item.ends.map(p => move(poses[p[0]], [p[1], p[2], p[3]])), d = sub(b, a);
          const m = along(add(a, scale(d, item.from)), add(a, scale(d, item.to)), item.wide);
          for (let k = 0; k < 12; k++) v[o + k] = m[k];
        } else {
          const a = data.arrows[item.arrow], w = [0, 1, 2].map(k => valueAt(a.channel + k, f)), l = norm(w) * arrowScale[a.kind];
          if (l < 0.004 * data.size) { v.fill(0, o, o + 12); continue; }
          const from = a.at ? move(poses[a.body], a.at) : [0, 1, 2].map(k => valueAt(a.place + k, f)), d = unit(w), tip = Math.min(0.05 * data.size, 0.45 * l), r = 0.007 * data.size;
          let m;
          if (a.kind === "torque") {
            const R = Math.max(0.05 * data.size, 0.5 * l), [x, y, z] = basis(d);
            if (item.part === 0) m = [x[0] * R, y[0] * R, z[0] * R, from[0], x[1] * R, y[1] * R, z[1] * R, from[1], x[2] * R, y[2] * R, z[2] * R, from[2]];
            else { const end = sub(from, scale(y, R)); m = along(end, add(end, scale(x, 0.5 * R)), 0.2 * R); }
          } else {
            const neck = add(from, scale(d, l - tip));
            m = item.part === 0 ? along(from, neck, r) : along(neck, add(from, scale(d, l)), 2.6 * r);
          }
          for (let k = 0; k < 12; k++) v[o + k] = m[k];
        }
        v[o + 12] = item.tint[0]; v[o + 13] = item.tint[1]; v[o + 14] = item.tint[2]; v[o + 15] = item.pattern + (item.fade || 0);
      }
    }
  }
  function drawGroups(shader, most, chosen, clear) {
    gl.uniform1i(shader.names.items, 1);
    for (const group of groups) {
      if (!chosen(group)) continue;
      assemble(group, most);
      gl.activeTexture(gl.TEXTURE1); gl.bindTexture(gl.TEXTURE_2D, group.texture);
      if (group.stale) { gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 4 * group.columns, group.rows, gl.RGBA, gl.FLOAT, group.values); group.stale = false; }
      gl.depthRange(0, group.over ? 0.02 : 1);
      if (clear || group.clear) gl.enable(gl.BLEND); else gl.disable(gl.BLEND);
      if (group.both) gl.disable(gl.CULL_FACE); else gl.enable(gl.CULL_FACE);
      gl.bindVertexArray(group.vao); gl.drawElements(gl.TRIANGLES, group.count, gl.UNSIGNED_INT, 0);
    }
    gl.depthRange(0, 1); gl.disable(gl.CULL_FACE); gl.bindVertexArray(null); gl.activeTexture(gl.TEXTURE0);
  }

  // matrices
  function matrices(width, height, poses, centre) {
    const { back, up, right } = axes(), target = add(camera.target, centre), eye = add(target, scale(back, camera.distance));
    const aspect = width / height, y = 1 / (Math.tan(FIELD / 2) * (aspect < 1 ? 1 / Math.sqrt(aspect) : 1)), x = y / aspect;
    const reach = Math.max(data.size, norm(sub(data.box[1], data.box[0])), data.ground ? data.ground.reach : 0), near = Math.max(0.02 * camera.distance, camera.distance - 1.6 * reach), far = camera.distance + 2.5 * reach;
    const p = (far + near) / (near - far), q = 2 * far * near / (near - far), rows = [right, up, back];
    const v = rows.map(r => [r[0], r[1], r[2], -dot(r, eye)]);
    for (let c = 0; c < 4; c++) {
      see[4 * c] = x * v[0][c]; see[4 * c + 1] = y * v[1][c];
      see[4 * c + 2] = p * v[2][c] + (c === 3 ? q : 0); see[4 * c + 3] = -v[2][c];
    }
    const away = data.view.towards, tilt = sub(away, scale(data.view.up, dot(away, data.view.up)));
    const sun = unit(add(add(scale(data.view.up, 1.0), scale(unit(tilt), 0.42)), scale(cross(data.view.up, unit(tilt)), -0.38)));
    const middle = following() ? centre : scale(add(data.box[0], data.box[1]), 0.5), R = following() ? 1.3 * data.radius : 0.62 * norm(sub(data.box[1], data.box[0])) || 1;
    const [lx, ly, lz] = basis(sun), l = [lx, ly, lz].map(r => [r[0], r[1], r[2], -dot(r, middle)]);
    for (let c = 0; c < 4; c++) {
      light[4 * c] = l[0][c] / R; light[4 * c + 1] = l[1][c] / R; light[4 * c + 2] = -l[2][c] / (2.5 * R); light[4 * c + 3] = c === 3 ? 1 : 0;
    }
    return { eye, sun };
  }
  function shadowMap() {
    if (shadow) return shadow;
    const texture = gl.createTexture(), size = 1024;
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, size, size);
    for (const [name, value] of [[gl.TEXTURE_MIN_FILTER, gl.LINEAR], [gl.TEXTURE_MAG_FILTER, gl.LINEAR], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
      [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE], [gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE], [gl.TEXTURE_COMPARE_FUNC, gl.LEQUAL]]) gl.texParameteri(gl.TEXTURE_2D, name, value);
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    return shadow = { texture, frame, size };
  }
  function smooth(samples, width, height) {
    if (target && target.width === width && target.height === height) return target;
    if (target) { gl.deleteFramebuffer(target.frame); gl.deleteRenderbuffer(target.colour); gl.deleteRenderbuffer(target.depth); }
    const frame = gl.createFramebuffer(), colour = gl.createRenderbuffer(), depth = gl.createRenderbuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    for (const [buffer, format, place] of [[colour, gl.RGBA8, gl.COLOR_ATTACHMENT0], [depth, gl.DEPTH24_STENCIL8, gl.DEPTH_STENCIL_ATTACHMENT]]) {
      gl.bindRenderbuffer(gl.RENDERBUFFER, buffer);
      gl.renderbufferStorageMultisample(gl.RENDERBUFFER, Math.min(samples, gl.getParameter(gl.MAX_SAMPLES)), format, width, height);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, buffer);
    }
    return target = { frame, colour, depth, width, height };
  }

  function draw(best, width, height) {
    if (!gl || !data || gl.isContextLost()) return;
    const chosen = LEVELS[best ? 0 : settings.quality === "auto" ? level : settings.quality], dpr = Math.min(root.devicePixelRatio || 1, best ? 2 : chosen.pixels);
    const pixels = chosen.pixels < 1 ? chosen.pixels : dpr;
    const w = width || Math.max(1, Math.round(canvas.clientWidth * pixels)), h = height || Math.max(1, Math.round(canvas.clientHeight * pixels));
    if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
    const f = frameAt(time), poses = data.bodies.map((_, k) => poseAt(k, f)), centre = followed(poses);
    const { eye, sun } = matrices(w, h, poses, centre);
    fillGroups(poses, f);
    const shadows = chosen.shadows, floor = settings.ground && data.ground ? floorOf(eye, centre) : null;
    gl.enable(gl.DEPTH_TEST); gl.disable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    if (shadows) {
      const map = shadowMap();
      gl.bindTexture(gl.TEXTURE_2D, null);
      gl.bindFramebuffer(gl.FRAMEBUFFER, map.frame); gl.viewport(0, 0, map.size, map.size); gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.useProgram(shaders.depth.made); gl.uniformMatrix4fv(shaders.depth.names.see, false, light);
      drawGroups(shaders.depth, chosen.segments, group => !group.over);
    }
    const into = chosen.samples ? smooth(chosen.samples, w, h).frame : null;
    gl.bindFramebuffer(gl.FRAMEBUFFER, into);
    gl.viewport(0, 0, w, h); gl.clearColor(...theme.back, 1); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    if (floor && floor.first) { gl.disable(gl.DEPTH_TEST); lay(floor, w, h, !into); if (chosen.cast) cast(floor, sun, chosen); gl.enable(gl.DEPTH_TEST); }
    gl.bindTexture(gl.TEXTURE_2D, shadowMap().texture);
    const s = shaders.solid.names;
    const solids = (chosenGroups, alpha) => {
      gl.useProgram(shaders.solid.made);
      gl.uniformMatrix4fv(s.see, false, see); gl.uniformMatrix4fv(s.light, false, light);
      gl.uniform3fv(s.sun, sun); gl.uniform3fv(s.up, data.view.up); gl.uniform3fv(s.eye, eye);
      gl.uniform1f(s.sky, theme.sky); gl.uniform1f(s.key, theme.key); gl.uniform1f(s.shadows, shadows && alpha === 1 ? 1 : 0); gl.uniform1f(s.alpha, alpha); gl.uniform1i(s.map, 0);
      drawGroups(shaders.solid, chosen.segments, chosenGroups, alpha < 1);
    };
    solids(group => !group.clear, 1);
    gl.enable(gl.BLEND); gl.depthMask(false);
    if (floor && !floor.first) { drawFloor(floor); if (chosen.cast && floor.below === 1) cast(floor, sun, chosen); }
    gl.depthMask(true);
    solids(group => group.clear, 1);
    gl.enable(gl.BLEND);
    if (settings.traces) drawTraces(w, h);
    if (settings.ghosts && data.times.length > 1) drawGhosts(solids);
    gl.disable(gl.BLEND);
    if (into) {
      gl.bindFramebuffer(gl.READ_FRAMEBUFFER, into); gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
      gl.blitFramebuffer(0, 0, w, h, 0, 0, w, h, gl.COLOR_BUFFER_BIT, gl.NEAREST);
    }
    if (settings.names || ui.labels.childElementCount) label(poses);
    drawn++;
  }
  /* Where the floor lies. What never sinks below it may be drawn upon it, when it is seen from above. */
  function floorOf(eye, centre) {
    const g = data.ground, n = g.normal, follow = following(), below = dot(sub(eye, g.at), n) > 0 ? 1 : 0.25;
    return { at: follow ? sub(centre, scale(n, dot(sub(centre, g.at), n))) : g.at, reach: follow ? 6 * data.radius : g.reach, cell: follow ? data.followStep : g.step,
      below, first: below === 1 && !data.sinks };
  }
  /* Most of the pixels are floor. While the camera is at rest it is drawn once, into a picture that lies below this one. */
  function lay(floor, w, h, may) {
    const key = may ? [w, h, theme === THEMES.dark, floor.reach, ...floor.at, ...see].join() : "";
    if (may && backdrop.key === key && backdrop.drawn) { gl.clearColor(0, 0, 0, 0); gl.clear(gl.COLOR_BUFFER_BIT); return; }
    gl.enable(gl.BLEND); drawFloor(floor); gl.disable(gl.BLEND);
    if (may && backdrop.key === key) { ui.back.width = w; ui.back.height = h; ui.back.getContext("2d").drawImage(canvas, 0, 0); backdrop.drawn = true; }
    else Object.assign(backdrop, { key, drawn: false });
  }
  function drawFloor(floor) {
    const g = data.ground, [u, v] = basis(g.normal, camera.first), names = shaders.floor.names;
    if (!quad) {
      quad = { vao: gl.createVertexArray(), buffer: gl.createBuffer() };
      gl.bindVertexArray(quad.vao); gl.bindBuffer(gl.ARRAY_BUFFER, quad.buffer);
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
      gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    }
    gl.useProgram(shaders.floor.made); gl.bindVertexArray(quad.vao);
    gl.uniformMatrix4fv(names.see, false, see); gl.uniform3fv(names.at, floor.at); gl.uniform3fv(names.u, scale(u, floor.reach)); gl.uniform3fv(names.v, scale(v, floor.reach));
    gl.uniform3fv(names.u0, u); gl.uniform3fv(names.v0, v); gl.uniform3fv(names.origin, g.origin || [0, 0, 0]); gl.uniform1f(names.cell, floor.cell);
    gl.uniform3fv(names.line, theme.line); gl.uniform3fv(names.floorColour, theme.floor); gl.uniform1f(names.below, floor.below);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4); gl.bindVertexArray(null);
  }
  /* Shadows on the floor: every pixel is darkened once, however many solids lie in the way of the light. */
  function cast(floor, sun, chosen) {
    const names = shaders.cast.names;
    gl.useProgram(shaders.cast.made);
    gl.uniformMatrix4fv(names.see, false, see); gl.uniform3fv(names.sun, sun); gl.uniform3fv(names.normal, data.ground.normal);
    gl.uniform3fv(names.at, floor.at); gl.uniform1f(names.reach, floor.reach);
    gl.enable(gl.STENCIL_TEST); gl.stencilFunc(gl.EQUAL, 0, 255); gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    drawGroups(shaders.cast, chosen.segments, group => !group.over, true);
    gl.disable(gl.STENCIL_TEST);
  }
  function makeTraces() {
    traces.forEach(t => { gl.deleteBuffer(t.buffer); gl.deleteBuffer(t.order); gl.deleteVertexArray(t.vao); });
    traces = [];
    if (data.times.length < 2) return;
    const step = Math.max(1, Math.ceil(data.times.length / 1500));
    for (const one of data.traces.slice(0, 4)) {
      const values = [];
      const near = 0.004 * data.size;      // points that lie closer are one on the screen
      let last = null;
      for (let f = 0; f < data.times.length; f += step) {
        const p = move(poseAt(one.body, [f, f, 0]), one.at);
        if (last && norm(sub(p, last)) < near && f + step < data.times.length) continue;
        values.push(...p, data.times[f]); last = p;
      }
      /* Four corners a segment, each with both of its ends: x, y, z, time. */
      const count = values.length / 4 - 1, corners = new Float32Array(40 * count), faces = new Uint32Array(6 * count);
      for (let k = 0; k < count; k++) {
        [[0, -1], [1, -1], [0, 1], [1, 1]].forEach((corner, c) => corners.set([...corner, ...values.slice(4 * k, 4 * k + 8)], 40 * k + 10 * c));
        faces.set([0, 1, 2, 2, 1, 3].map(c => 4 * k + c), 6 * k);
      }
      const vao = gl.createVertexArray(), buffer = gl.createBuffer(), order = gl.createBuffer();
      gl.bindVertexArray(vao);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer); gl.bufferData(gl.ARRAY_BUFFER, corners, gl.STATIC_DRAW);
      for (const [slot, size, place] of [[0, 2, 0], [1, 4, 8], [2, 4, 24]]) { gl.enableVertexAttribArray(slot); gl.vertexAttribPointer(slot, size, gl.FLOAT, false, 40, place); }
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, order); gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, faces, gl.STATIC_DRAW);
      gl.bindVertexArray(null);
      traces.push({ vao, buffer, order, times: values.filter((_, k) => k % 4 === 3), tint: rgb(data.bodies[one.body].colour), name: one.name });
    }
  }
  function drawTraces(w, h) {
    const names = shaders.line.names, [a, b] = spanOf();
    gl.useProgram(shaders.line.made); gl.uniformMatrix4fv(names.see, false, see); gl.uniform2f(names.pixel, 2 / w * (w / canvas.clientWidth || 1), 2 / h * (h / canvas.clientHeight || 1));
    gl.uniform1f(names.now, time); gl.uniform1f(names.tail, Math.max(1e-9, 0.12 * (b - a)));
    gl.depthMask(false);
    for (const t of traces) {
      if (settings.hidden.includes(t.name)) continue;
      let past = 0;
      while (past < t.times.length - 1 && t.times[past] <= time) past++;
      gl.uniform3fv(names.tint, t.tint); gl.bindVertexArray(t.vao); gl.drawElements(gl.TRIANGLES, 6 * past, gl.UNSIGNED_INT, 0);
    }
    gl.depthMask(true); gl.bindVertexArray(null);
  }
  function drawGhosts(solids) {
    const [a, b] = spanOf(), count = 6;
    gl.depthMask(false);
    for (let k = 0; k < count; k++) {
      const f = frameAt(a + (b - a) * k / (count - 1));
      fillGroups(data.bodies.map((_, i) => poseAt(i, f)), f); solids(() => true, 0.16);
    }
    gl.depthMask(true);
  }
  function onScreen(p) {
    const q = [0, 1, 2, 3].map(r => see[r] * p[0] + see[4 + r] * p[1] + see[8 + r] * p[2] + see[12 + r]);
    return [q[0] / q[3], q[1] / q[3], q[3]];
  }
  function label(poses) {
    const want = settings.names ? data.bodies.length - 1 : 0, box = ui.labels;
    while (box.childElementCount > want) box.lastChild.remove();
    while (box.childElementCount < want) box.append(node("span", {}));
    for (let k = 0; k < want; k++) {
      const body = data.bodies[k + 1], p = onScreen(move(poses[k + 1], body.centre || (body.shapes[0] && body.shapes[0].at) || [0, 0, 0])), tag = box.children[k];
      tag.textContent = body.name; tag.hidden = p[2] <= 0 || settings.hidden.includes(body.name);
      tag.style.transform = `translate(${(p[0] + 1) / 2 * canvas.clientWidth}px, ${(1 - p[1]) / 2 * canvas.clientHeight}px) translate(-50%, -50%)`;
    }
  }

  // the clock
  function ask() { if (!pending && !dead) pending = root.requestAnimationFrame(tick); clearTimeout(still); still = setTimeout(rest, 180); }
  function rest() { if (!playing && !dead && data) draw(true); }
  function tick(now) {
    pending = 0;
    if (dead || !data) return;
    const gap = now - last;
    last = now;
    if (playing) {
      const [a, b] = spanOf();
      if (gap > 0 && gap < 1000 && !settings.calm) govern(gap);
      if (wait > 0) { wait -= gap; if (wait <= 0) time = a; }
      else time += Math.min(gap, 250) / 1000 * data.speed * settings.speed;
      if (time >= b) {
        time = b;
        if (!settings.loop) pause(); else if (wait <= 0) wait = 700;
      }
      told();
      next();
    }
    draw(false);
  }
  function next() {
    if (soft && settings.calm) pending = setTimeout(() => { pending = root.requestAnimationFrame(tick); }, CALM);
    else pending = root.requestAnimationFrame(tick);
  }
  function govern(gap) {
    mean = mean ? 0.9 * mean + 0.1 * gap : gap;
    slow = mean > SLOW ? slow + 1 : 0; quick = mean < QUICK ? quick + 1 : 0;
    if (slow > 14 && level < LEVELS.length - 1) { level++; slow = 0; mean = 0; }
    if (quick > 240 && level > 0 && !soft) { level--; quick = 0; mean = 0; }
  }
  function told() { ui.showTime(time, spanOf(), playing); if (settings.plots) ui.plots.at(time); emit("time", time); }
  function play() { if (!data || data.times.length < 2) return; const [a, b] = spanOf(); if (time >= b) time = a; wait = 0; mean = 0; playing = true; last = root.performance.now(); ui.showTime(time, [a, b], true); emit("play", true); ask(); }
  function pause() { playing = false; told(); emit("play", false); ask(); }
  function seek(t) { const [a, b] = spanOf(); wait = 0; time = Math.min(b, Math.max(a, t)); told(); ask(); }
  function step(k) { pause(); const f = frameAt(time)[0], n = data.times.length - 1; seek(data.times[Math.min(n, Math.max(0, f + k))]); }

  // what is under the pointer: a ray against the boxes of items
  function pick(x, y) {
    const box = canvas.getBoundingClientRect(), { back, up, right } = axes();
    const f = frameAt(time), poses = data.bodies.map((_, k) => poseAt(k, f)), aspect = box.width / box.height;
    const t = Math.tan(FIELD / 2) * (aspect < 1 ? 1 / Math.sqrt(aspect) : 1), nx = (2 * (x - box.left) / box.width - 1) * t * aspect, ny = (1 - 2 * (y - box.top) / box.height) * t;
    const eye = add(add(camera.target, followed(poses)), scale(back, camera.distance)), d = unit(add(add(scale(right, nx), scale(up, ny)), scale(back, -1)));
    let best = null, near = 1e99;
    for (const group of groups) group.list.forEach((item, k) => {
      if (item.layer === "frame" || item.fade) return;
      const m = group.values.subarray(16 * k, 16 * k + 12), b = boundsOf(item.mesh), hit = rayBox(m, b, eye, d);
      if (hit !== null && hit < near) { near = hit; best = item.what; }
    });
    return best;
  }
  function describe(what) {
    const f = frameAt(time), short = x => (Math.abs(x) >= 1e4 || (x && Math.abs(x) < 1e-3)) ? x.toExponential(2) : String(+x.toFixed(3));
    const rows = [];
    if (what.type === "body") {
      const body = data.bodies[what.number], p = move(poseAt(what.number, f), body.centre || [0, 0, 0]);
      if (body.mass) rows.push("mass " + short(body.mass));
      if (what.number) rows.push((body.centre ? "centre " : "origin ") + p.map(short).join(", "));
    } else rows.push(what.kind);
    if (what.arrow) rows.push([0, 1, 2].map(k => short(valueAt(what.arrow.channel + k, f))).join(", "));
    for (const c of data.columns) if (c.name.startsWith(what.name + ".")) rows.push(c.name.slice(what.name.length + 1) + " = " + short(valueAt(c.channel, f)) + (c.unit ? " " + c.unit : ""));
    return rows.slice(0, 8);
  }

  // hands
  const fingers = new Map();
  let hoverAt = 0;
  function drag(dx, dy, kind) {
    const h = canvas.clientHeight || 1;
    if (kind === "turn") { camera.turn -= dx * 0.008; camera.rise = Math.max(-1.5707, Math.min(1.5707, camera.rise + dy * 0.008)); }
    else {
      const { up, right } = axes(), s = 2 * camera.distance * Math.tan(FIELD / 2) / h;
      camera.target = add(camera.target, add(scale(right, -dx * s), scale(up, dy * s)));
    }
    moved = true; ask();
  }
  function zoom(factor) { camera.distance = Math.max(1e-3 * data.size, Math.min(1e3 * Math.max(data.size, norm(sub(data.box[1], data.box[0]))), camera.distance * factor)); moved = true; ask(); }
  if (gl) {
    canvas.addEventListener("pointerdown", e => { if (!data) return; canvas.setPointerCapture(e.pointerId); fingers.set(e.pointerId, [e.clientX, e.clientY]); ui.tip.hidden = true; });
    canvas.addEventListener("pointermove", e => {
      if (!data) return;
      const old = fingers.get(e.pointerId);
      if (!old) { const now = root.performance.now(); if (e.pointerType === "mouse" && now - hoverAt > 60) { hoverAt = now; hover(e); } return; }
      const others = [...fingers].filter(([id]) => id !== e.pointerId).map(([, p]) => p), here = [e.clientX, e.clientY];
      if (others.length) {
        const was = Math.hypot(old[0] - others[0][0], old[1] - others[0][1]), is = Math.hypot(here[0] - others[0][0], here[1] - others[0][1]);
        if (is > 0) zoom(was / is);
        drag((here[0] - old[0]) / 2, (here[1] - old[1]) / 2, "pan");
      } else drag(here[0] - old[0], here[1] - old[1], e.buttons & 6 || e.shiftKey ? "pan" : "turn");
      fingers.set(e.pointerId, here);
    });
    const up = e => fingers.delete(e.pointerId);
    canvas.addEventListener("pointerup", up); canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("pointerleave", () => { ui.tip.hidden = true; });
    canvas.addEventListener("wheel", e => { if (!data) return; e.preventDefault(); zoom(Math.exp(Math.max(-60, Math.min(60, e.deltaY)) * 0.002)); }, { passive: false });
    canvas.addEventListener("dblclick", () => data && look("fit"));
    canvas.addEventListener("contextmenu", e => e.preventDefault());
    canvas.addEventListener("webglcontextlost", e => { e.preventDefault(); ui.say("The graphics card was taken away; it comes back by itself, or after a reload."); });
  }
  function hover(e) {
    const what = pick(e.clientX, e.clientY), box = ui.stage.getBoundingClientRect();
    ui.tip.hidden = !what;
    if (what) {
      ui.tip.replaceChildren(node("b", { text: what.name }), ...describe(what).map(text => node("div", { text })));
      ui.tip.style.left = Math.min(e.clientX - box.left + 14, box.width - 190) + "px"; ui.tip.style.top = (e.clientY - box.top + 14) + "px";
    }
    emit("pick", what);
  }
  ui.host.addEventListener("keydown", e => {
    if (!data || e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.composedPath()[0].tagName) && e.key !== " ") return;
    const flip = name => view.set({ [name]: !settings[name] }), keys = {
      " ": () => view.toggle(), ArrowLeft: () => step(e.shiftKey ? -10 : -1), ArrowRight: () => step(e.shiftKey ? 10 : 1), Home: () => seek(spanOf()[0]), End: () => seek(spanOf()[1]),
      f: () => look("fit"), 0: () => look("iso"), 1: () => look("front"), 2: () => look("side"), 3: () => look("top"), g: () => flip("ghosts"), j: () => flip("joints"),
      t: () => flip("traces"), a: () => flip("arrows"), n: () => flip("names"), p: () => flip("plots"), l: () => flip("loop"), x: () => flip("frames"), c: () => flip("centres"),
      d: () => view.set({ dark: theme !== THEMES.dark }), "+": () => view.set({ speed: settings.speed * 2 }), "=": () => view.set({ speed: settings.speed * 2 }), "-": () => view.set({ speed: settings.speed / 2 }) };
    if (keys[e.key]) { e.preventDefault(); keys[e.key](); }
  });

  // settings
  const media = root.matchMedia ? root.matchMedia("(prefers-color-scheme: dark)") : { matches: false, addEventListener() {} };
  function applyTheme() {
    theme = (settings.dark === "auto" ? media.matches : settings.dark) ? THEMES.dark : THEMES.light;
    ui.theme(theme, theme === THEMES.dark);
    if (data) { items = itemsOf(data, theme); regroup(); ui.plots.draw(theme); ask(); }
  }
  const onMedia = () => applyTheme();
  if (media.addEventListener) media.addEventListener("change", onMedia);
  view.set = changes => {
    const was = settings.follow;
    Object.assign(settings, changes);
    if ("dark" in changes) applyTheme();
    if ("controls" in changes || "plots" in changes) { ui.arrange(settings); if (data) { ui.plots.draw(theme); ui.plots.at(time); } }
    if (data && Object.keys(changes).some(name => name !== "calm")) {
      if (settings.follow !== was) { points = null; fit(); }
      if (changes.view) look(changes.view);
      regroup(); ask();
    }
    ui.reflect(settings);
    return view;
  };
  view.load = async (scene, how) => {
    if (!gl) return view;
    if (!scene || scene.format !== FORMAT) { ui.say("This scene has format " + (scene && scene.format) + ", and this viewer reads " + FORMAT + ". Write it again with the dalembert that brought this viewer."); return view; }
    const keep = how && how.keepCamera && data && camera, found = await unpack(scene.table);
    if (dead) return view;
    data = scene; curves = found; data.meshes = data.meshes || [];
    [...shapes.keys()].forEach(key => { if (key.startsWith("mesh")) shapes.delete(key); });
    [...bounds.keys()].forEach(key => { if (key.startsWith("mesh")) bounds.delete(key); });
    for (const j of data.joints) j.there = j.there || { at: j.at, turn: j.turn };
    points = null; items = itemsOf(data, theme); measureArrows();
    if (!keep) camera = makeCamera();
    const cornersOf = cloud();
    data.radius = cornersOf.reduce((r, p) => Math.max(r, norm(p)), 0) || 1;
    data.followStep = niceStep(data.radius / 3);
    if (!following()) points = cornersOf;
    regroup(); makeTraces();
    if (!keep) { moved = false; VIEWS[settings.view] ? VIEWS[settings.view]() : VIEWS.fit(); fit(); time = data.times[0]; }
    else time = Math.min(spanOf()[1], Math.max(spanOf()[0], time));
    ui.fill(data, curves, view, settings); ui.plots.draw(theme); ui.arrange(settings); told();
    if (!keep && settings.autoplay && data.times.length > 1) play(); else ask();
    draw(false);
    return view;
  };
  view.seek = t => (seek(t), view); view.play = () => (play(), view); view.pause = () => (pause(), view);
  view.toggle = () => (playing ? pause() : play(), view);
  view.look = name => (look(name), view);
  view.on = (name, f) => { (listeners[name] = listeners[name] || []).push(f); return () => { listeners[name] = listeners[name].filter(g => g !== f); }; };
  view.png = (width, height) => { draw(true, width, height); const text = canvas.toDataURL("image/png"); if (width) { ask(); } return text; };
  view.about = () => ({ level, mean, drawn, time, soft, items: items.length, triangles: groups.reduce((n, g) => n + (g.count || 0) / 3, 0), floor: backdrop.drawn ? "kept" : "drawn", renderer: gl ? rendererName(gl) : "", camera: camera && { ...camera }, following: data ? following() : 0 });
  view.drawAt = t => { time = t; draw(false); gl.finish(); };
  /* How far out of the picture anything is at the times of the frames: at most 1 when all is inside. */
  view.outermost = (count) => {
    let worst = 0;
    const ts = data.times, n = Math.min(count || 40, ts.length);
    for (let i = 0; i < n; i++) {
      const k = n > 1 ? Math.round(i * (ts.length - 1) / (n - 1)) : 0, f = [k, k, 0], poses = data.bodies.map((_, b) => poseAt(b, f));
      matrices(canvas.clientWidth, canvas.clientHeight, poses, followed(poses));
      for (const item of items) if (item.local && item.layer === "body" && item.body) {
        const b = boundsOf(item.mesh), m = after(poses[item.body], item.local);
        for (let c = 0; c < 8; c++) {
          const p = onScreen(move(m, [b[c & 1 ? 1 : 0][0], b[c & 2 ? 1 : 0][1], b[c & 4 ? 1 : 0][2]]));
          worst = Math.max(worst, p[2] <= 0 ? 1e9 : Math.max(Math.abs(p[0]), Math.abs(p[1])));
        }
      }
    }
    return worst;
  };
  view.destroy = () => { dead = true; clearTimeout(still); if (pending) root.cancelAnimationFrame(pending); if (media.removeEventListener) media.removeEventListener("change", onMedia); watch.disconnect(); const lose = gl && gl.getExtension("WEBGL_lose_context"); if (lose) lose.loseContext(); ui.remove(); };
  Object.defineProperty(view, "time", { get: () => time }); Object.defineProperty(view, "playing", { get: () => playing }); Object.defineProperty(view, "span", { get: spanOf });
  const watch = new ResizeObserver(() => { if (data) { ui.arrange(settings); if (!moved) fit(); ui.plots.draw(theme); ui.plots.at(time); ask(); } });
  watch.observe(ui.stage);
  ui.wire(view, settings, look);
  applyTheme();
  view.ready = scene ? view.load(scene).catch(error => { ui.say("The scene cannot be read: " + error.message); throw error; }) : Promise.resolve(view);
  return view;
}
function rayBox(m, b, eye, d) {        // distance along the ray at which it enters the box under the map, or null
  const det = m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) + m[2] * (m[4] * m[9] - m[5] * m[8]);
  if (!det) return null;
  const i = [m[5] * m[10] - m[6] * m[9], m[2] * m[9] - m[1] * m[10], m[1] * m[6] - m[2] * m[5], m[6] * m[8] - m[4] * m[10], m[0] * m[10] - m[2] * m[8],
    m[2] * m[4] - m[0] * m[6], m[4] * m[9] - m[5] * m[8], m[1] * m[8] - m[0] * m[9], m[0] * m[5] - m[1] * m[4]].map(x => x / det);
  const o = [eye[0] - m[3], eye[1] - m[7], eye[2] - m[11]], at = v => [i[0] * v[0] + i[1] * v[1] + i[2] * v[2], i[3] * v[0] + i[4] * v[1] + i[5] * v[2], i[6] * v[0] + i[7] * v[1] + i[8] * v[2]];
  const p = at(o), q = at(d);
  let near = -1e99, far = 1e99;
  for (let k = 0; k < 3; k++) {
    const u = (b[0][k] - p[k]) / q[k], v = (b[1][k] - p[k]) / q[k];
    near = Math.max(near, Math.min(u, v)); far = Math.min(far, Math.max(u, v));
  }
  return near <= far && far > 0 ? near : null;
}
function rendererName(gl) { const more = gl.getExtension("WEBGL_debug_renderer_info"); return String(gl.getParameter(more ? more.UNMASKED_RENDERER_WEBGL : gl.RENDERER)); }
function niceStep(x) { const p = Math.pow(10, Math.floor(Math.log10(x))); return p * [1, 2, 5, 10].reduce((a, b) => Math.abs(Math.log(b * p / x)) < Math.abs(Math.log(a * p / x)) ? b : a); }

// --- controls: everything a model says becomes text, never markup --------------------------------------------------
const STYLE = `
:host, .dv { all: initial; }
.dv { position: relative; display: grid; grid-template-rows: 1fr auto auto; width: 100%; height: 100%; min-height: 0; overflow: hidden; outline: none;
  font: 13px/1.35 system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; color: var(--ink); background: var(--back); -webkit-tap-highlight-color: transparent; }
.dv * { box-sizing: border-box; } .dv [hidden] { display: none !important; }
.dv .stage { position: relative; min-height: 0; min-width: 0; } .dv canvas.gl, .dv canvas.floor { position: absolute; inset: 0; width: 100%; height: 100%; display: block; } .dv canvas.gl { touch-action: none; cursor: grab; }
.dv canvas.gl:active { cursor: grabbing; }
.dv .labels { position: absolute; inset: 0; pointer-events: none; overflow: hidden; } .dv .labels span { position: absolute; left: 0; top: 0; padding: 0 .35em; border-radius: .5em; background: var(--paper); color: var(--ink); opacity: .82; font-size: 12px; white-space: nowrap; }
.dv .tip { position: absolute; pointer-events: none; background: var(--paper); color: var(--ink); border: 1px solid var(--edge); border-radius: .5em; padding: .35em .6em; box-shadow: 0 3px 14px #0003; max-width: 240px; font-size: 12px; font-variant-numeric: tabular-nums; z-index: 4; } .dv .tip div { color: var(--quiet); }
.dv .say { position: absolute; inset: auto 1em 1em 1em; background: var(--paper); color: var(--ink); border: 1px solid var(--edge); border-radius: .5em; padding: .5em .8em; z-index: 5; }
.dv .note { position: absolute; left: .8em; bottom: .5em; color: var(--quiet); font-size: 12px; pointer-events: none; max-width: 60%; }
.dv .tools { position: absolute; right: .6em; top: .6em; display: flex; gap: .3em; z-index: 3; }
.dv .bar { display: flex; align-items: center; gap: .7em; padding: .45em .8em; background: var(--paper); border-top: 1px solid var(--edge); }
.dv button, .dv select { font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--edge); border-radius: .5em; min-height: 2.3em; padding: 0 .6em; cursor: pointer; }
.dv button:hover, .dv select:hover { border-color: var(--accent); } .dv :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.dv .play { width: 2.5em; height: 2.5em; padding: 0; border-radius: 50%; background: var(--accent); border-color: var(--accent); color: #fff; display: grid; place-items: center; flex: none; } .dv svg { width: 1.05em; height: 1.05em; fill: currentColor; display: block; }
.dv .time { flex: 1; min-width: 4em; position: relative; height: 1.6em; } .dv input[type=range] { width: 100%; height: 100%; margin: 0; accent-color: var(--accent); cursor: pointer; } .dv .marks { position: absolute; inset: auto 8px 0 8px; height: 3px; pointer-events: none; } .dv .marks i { position: absolute; width: 2px; height: 5px; margin-left: -1px; background: #d98c1f; bottom: 0; border-radius: 1px; }
.dv output { font-variant-numeric: tabular-nums; color: var(--quiet); min-width: 6.5em; text-align: right; white-space: nowrap; }
.dv details { position: relative; } .dv summary { list-style: none; display: grid; place-items: center; min-height: 2.3em; min-width: 2.3em; padding: 0 .6em; border: 1px solid var(--edge); border-radius: .5em; background: var(--paper); cursor: pointer; } .dv summary::-webkit-details-marker { display: none; } .dv summary:hover { border-color: var(--accent); }
.dv .menu { position: absolute; right: 0; top: calc(100% + .3em); background: var(--paper); border: 1px solid var(--edge); border-radius: .6em; padding: .5em .7em; display: grid; gap: .25em; min-width: 13em; max-height: 60vh; overflow: auto; box-shadow: 0 8px 28px #0004; z-index: 6; }
.dv .menu h4 { margin: .35em 0 .1em; font-size: 11px; font-weight: 600; letter-spacing: .04em; text-transform: uppercase; color: var(--quiet); } .dv .menu label { display: flex; gap: .5em; align-items: center; cursor: pointer; min-height: 1.9em; } .dv .menu label i { width: .8em; height: .8em; border-radius: 50%; flex: none; } .dv .menu kbd { margin-left: auto; font: 11px ui-monospace, monospace; color: var(--quiet); border: 1px solid var(--edge); border-radius: .3em; padding: 0 .3em; }
.dv .menu input { accent-color: var(--accent); } .dv .row { display: flex; flex-wrap: wrap; gap: .3em; }
.dv .plots { display: flex; gap: .4em; padding: .4em; background: var(--paper); border-top: 1px solid var(--edge); height: 180px; min-height: 0; overflow: auto; } .dv .plots canvas { flex: 1 1 240px; min-width: 200px; height: 100%; cursor: crosshair; touch-action: pan-x; }
.dv.wide { grid-template-columns: 1fr 320px; } .dv.wide .stage { grid-area: 1 / 1; } .dv.wide .plots { grid-area: 1 / 2; flex-direction: column; height: auto; border-top: 0; border-left: 1px solid var(--edge); } .dv.wide .plots canvas { flex: 1 1 120px; width: 100%; height: auto; min-height: 110px; max-height: 260px; } .dv.wide .bar { grid-column: 1 / 3; grid-row: 2; }
.dv.small .bar { flex-wrap: wrap; gap: .45em; } .dv.small output { min-width: 5em; } .dv.small .bar .time { order: -1; flex-basis: 100%; }
`;
const ICONS = { play: "M5 3l14 9-14 9z", pause: "M5 3h5v18H5zM14 3h5v18h-5z", fit: "M3 3h6v2H5v4H3zm12 0h6v6h-2V5h-4zM3 15h2v4h4v2H3zm16 0h2v6h-6v-2h4z",
  layers: "M12 2l10 5-10 5L2 7zm-8 8.6L12 15l8-4.4 2 1L12 17 2 11.6zm0 5L12 20l8-4.4 2 1L12 22 2 16.6z", plots: "M3 3h2v16h16v2H3zm4 12l4-6 4 3 5-8 1.7 1-6.1 9.7-4-3-2.9 4.4z",
  sun: "M12 7a5 5 0 100 10 5 5 0 000-10zm-1-6h2v3h-2zm0 19h2v3h-2zM1 11h3v2H1zm19 0h3v2h-3z" };
function node(tag, about, ...inside) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(about || {})) {
    if (key === "text") made.textContent = value; else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "class") made.className = value; else if (value === true) made.setAttribute(key, ""); else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...inside);
  return made;
}
function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 24 24"); svg.setAttribute("aria-hidden", "true"); path.setAttribute("d", ICONS[name]); svg.append(path);
  return svg;
}
function makeUi(element, settings) {
  const shadow = element.shadowRoot || element.attachShadow({ mode: "open" }), canvas = node("canvas", { class: "gl" }), back = node("canvas", { class: "floor" });
  const labels = node("div", { class: "labels" }), tip = node("div", { class: "tip", hidden: true }), note = node("div", { class: "note" }), say = node("div", { class: "say", hidden: true, role: "alert" });
  const playButton = node("button", { class: "play", title: "play or pause (space)", "aria-label": "play or pause" }, icon("play"));
  const slider = node("input", { type: "range", min: 0, max: 1, step: "any", value: 0, "aria-label": "time" }), marks = node("div", { class: "marks" }), clock = node("output", {});
  const speed = node("select", { title: "speed (+ and -)", "aria-label": "speed" }), tools = node("div", { class: "tools" }), plotBox = node("div", { class: "plots", hidden: true });
  const bar = node("div", { class: "bar" }, playButton, node("div", { class: "time" }, slider, marks), clock, speed);
  const stage = node("div", { class: "stage" }, back, canvas, labels, note, tools, tip, say), host = node("div", { class: "dv", tabindex: 0 }, stage, plotBox, bar);
  shadow.replaceChildren(node("style", { text: STYLE }), host);
  const ui = { canvas, back, labels, tip, stage, host, plots: makePlots(plotBox) };
  let names = null, boxes = {}, still = true;
  ui.say = text => { say.textContent = text; say.hidden = false; };
  ui.remove = () => shadow.replaceChildren();
  ui.showTime = (t, [a, b], on) => {
    slider.value = b > a ? (t - a) / (b - a) : 0;
    const digits = b - a >= 100 ? 1 : b - a >= 1 ? 2 : 4;
    clock.textContent = t.toFixed(digits) + " / " + b.toFixed(digits) + " s";
    if (playButton.on !== on) { playButton.on = on; playButton.replaceChildren(icon(on ? "pause" : "play")); }
  };
  ui.theme = (theme, dark) => {
    const s = host.style;
    s.setProperty("--ink", theme.ink); s.setProperty("--quiet", theme.quiet); s.setProperty("--paper", theme.paper); s.setProperty("--edge", theme.edge); s.setProperty("--back", css(theme.back));
    s.setProperty("--accent", dark ? "#5aa2e0" : "#2b6cb0"); s.colorScheme = dark ? "dark" : "light";
  };
  ui.arrange = settings => {
    const width = host.clientWidth;
    plotBox.hidden = !(settings.plots && ui.plots.any); bar.hidden = still || !settings.controls; tools.hidden = !settings.controls;
    host.classList.toggle("wide", settings.plots && ui.plots.any && width >= 860); host.classList.toggle("small", width < 520);
  };
  ui.reflect = settings => {
    for (const [name, box] of Object.entries(boxes)) box.checked = !!settings[name];
    if (![...speed.options].some(o => +o.value === settings.speed)) speed.append(node("option", { value: settings.speed, text: "x " + settings.speed }));
    speed.value = String(settings.speed);
  };
  ui.wire = (view, settings, look) => {
    for (const x of [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10]) speed.append(node("option", { value: x, text: "× " + x }));
    playButton.addEventListener("click", () => view.toggle());
    slider.addEventListener("input", () => { const [a, b] = view.span; if (view.playing) view.pause(); view.seek(a + (b - a) * slider.value); });
    speed.addEventListener("change", () => view.set({ speed: +speed.value }));
    names = node("div", {});
    const box = (name, text, key) => { boxes[name] = node("input", { type: "checkbox" }); boxes[name].addEventListener("change", () => view.set({ [name]: boxes[name].checked })); return node("label", {}, boxes[name], document.createTextNode(text), node("kbd", { text: key })); };
    const views = ["fit", "iso", "front", "side", "top"].map(name => node("button", { text: name, onclick: () => look(name) }));
    const menu = node("div", { class: "menu" }, node("h4", { text: "view" }), node("div", { class: "row" }, ...views), ui.followSelect = node("select", { "aria-label": "follow" }),
      node("h4", { text: "show" }), box("joints", "joints", "j"), box("traces", "traces", "t"), box("arrows", "forces", "a"), box("ghosts", "ghosts", "g"), box("names", "names", "n"), box("frames", "frames", "x"), box("centres", "centres of mass", "c"), box("ground", "ground", ""),
      node("h4", { text: "play" }), box("loop", "again and again", "l"), node("h4", { text: "bodies" }), names,
      node("button", { text: "save picture", onclick: () => { const a = node("a", { href: view.png(1920, 1080), download: "machine.png" }); a.click(); } }));
    ui.followSelect.addEventListener("change", () => view.set({ follow: ui.followSelect.value }));
    const plots = node("button", { title: "curves (p)", "aria-label": "curves", onclick: () => view.set({ plots: !settings.plots }) }, icon("plots"));
    ui.plotButton = plots;
    tools.append(plots, node("button", { title: "fit (f)", "aria-label": "fit", onclick: () => look("fit") }, icon("fit")),
      node("button", { title: "light or dark (d)", "aria-label": "light or dark", onclick: () => view.set({ dark: host.style.colorScheme !== "dark" }) }, icon("sun")),
      node("details", {}, node("summary", { title: "what is shown", "aria-label": "what is shown" }, icon("layers")), menu));
    ui.plots.seek = t => { if (view.playing) view.pause(); view.seek(t); };
    ui.reflect(settings);
    ui.hide = (name, on) => view.set({ hidden: on ? settings.hidden.filter(n => n !== name) : [...settings.hidden, name] });
  };
  ui.fill = (scene, curves, view, settings) => {
    still = scene.times.length < 2;
    note.textContent = scene.note || "";
    say.hidden = true;
    host.setAttribute("aria-label", "animation of " + scene.name);
    names.replaceChildren(...scene.bodies.slice(1, 200).map(body => {
      const box = node("input", { type: "checkbox" }), dot = node("i", {});
      box.checked = !settings.hidden.includes(body.name); dot.style.background = /^#[0-9a-f]{6}$/i.test(body.colour) ? body.colour : "#888";
      box.addEventListener("change", () => ui.hide(body.name, box.checked));
      return node("label", {}, box, dot, document.createTextNode(body.name));
    }));
    ui.followSelect.replaceChildren(node("option", { value: "auto", text: "camera: automatic" }), node("option", { value: "", text: "camera: at rest" }), ...scene.bodies.slice(1, 200).map(b => node("option", { value: b.name, text: "follow " + b.name })));
    ui.followSelect.value = settings.follow;
    const [a, b] = [scene.times[0], scene.times[scene.times.length - 1]];
    marks.replaceChildren(...scene.events.slice(0, 200).map(([t, name]) => { const i = node("i", { title: name }); i.style.left = (b > a ? 100 * (t - a) / (b - a) : 0) + "%"; return i; }));
    ui.plots.fill(scene, curves);
    ui.plotButton.hidden = !ui.plots.any;
  };
  return ui;
}

// --- curves that move with the picture -----------------------------------------------------------------------------
function makePlots(box) {
  const plots = { any: false, seek: () => {} };
  let scene = null, curves = null, panes = [], theme = THEMES.light;
  plots.fill = (s, c) => {
    scene = s; curves = c; plots.any = s.columns.length > 0 && s.times.length > 1;
    const units = new Map();
    for (const column of s.columns) { if (!units.has(column.unit)) units.set(column.unit, []); units.get(column.unit).push(column); }
    panes = [...units].map(([unit, columns]) => {
      const canvas = node("canvas", { "aria-label": columns.map(c => c.name).join(", ") }), pane = { unit, columns, canvas, image: null };
      const to = e => { const r = canvas.getBoundingClientRect(), f = (e.clientX - r.left - 38) / (r.width - 46), [a, b] = [s.times[0], s.times[s.times.length - 1]]; plots.seek(a + (b - a) * Math.max(0, Math.min(1, f))); };
      canvas.addEventListener("pointerdown", e => { canvas.setPointerCapture(e.pointerId); to(e); });
      canvas.addEventListener("pointermove", e => { if (e.buttons) to(e); });
      return pane;
    });
    box.replaceChildren(...panes.map(p => p.canvas));
  };
  plots.draw = t => {
    theme = t;
    if (!scene || box.hidden) return;
    for (const pane of panes) {
      const dpr = Math.min(2, root.devicePixelRatio || 1), w = pane.canvas.clientWidth, h = pane.canvas.clientHeight;
      if (w < 20 || h < 20) continue;
      pane.canvas.width = w * dpr; pane.canvas.height = h * dpr;
      const image = document.createElement("canvas"), g = image.getContext("2d");
      image.width = w * dpr; image.height = h * dpr; g.scale(dpr, dpr);
      let low = 1e99, high = -1e99;
      for (const c of pane.columns) for (const x of curves[c.channel]) { low = Math.min(low, x); high = Math.max(high, x); }
      if (high - low < 1e-9 * Math.max(1, Math.abs(high), Math.abs(low))) { low -= 1; high += 1; }
      const pad = 0.06 * (high - low), [a, b] = [scene.times[0], scene.times[scene.times.length - 1]], X = t => 38 + (w - 46) * (t - a) / (b - a || 1), Y = y => h - 18 - (h - 36) * (y - low + pad) / (high - low + 2 * pad);
      g.font = "10px system-ui, sans-serif"; g.fillStyle = theme.quiet; g.strokeStyle = theme.edge; g.lineWidth = 1; g.textBaseline = "middle";
      const step = niceStep((high - low) / Math.max(2, h / 45));
      g.textAlign = "right";
      for (let y = Math.ceil(low / step) * step; y <= high + 1e-9 * step; y += step) { g.beginPath(); g.moveTo(38, Y(y)); g.lineTo(w - 8, Y(y)); g.stroke(); g.fillText(String(+y.toPrecision(3)), 34, Y(y)); }
      g.textAlign = "center";
      const ts = niceStep((b - a) / Math.max(2, w / 70));
      for (let x = Math.ceil(a / ts) * ts; x <= b + 1e-9 * ts; x += ts) g.fillText(String(+x.toPrecision(4)), X(x), h - 8);
      pane.columns.forEach((c, k) => {
        g.strokeStyle = CURVES[k % 8]; g.lineWidth = 1.6; g.lineJoin = "round"; g.beginPath();
        for (let f = 0; f < scene.times.length; f++) {
          const jump = f && scene.times[f] === scene.times[f - 1] && Math.abs(curves[c.channel][f] - curves[c.channel][f - 1]) > 0.01 * (high - low);
          g[f && !jump ? "lineTo" : "moveTo"](X(scene.times[f]), Y(curves[c.channel][f]));
        }
        g.stroke();
      });
      pane.image = image; pane.map = { X, Y, w, h, dpr };
    }
  };
  plots.at = t => {
    if (box.hidden || !scene) return;
    const ts = scene.times;
    let i = 0, j = ts.length - 1;
    while (j - i > 1) { const m = (i + j) >> 1; if (ts[m] <= t) i = m; else j = m; }
    const s = ts[j] > ts[i] ? Math.min(1, (t - ts[i]) / (ts[j] - ts[i])) : 0;
    for (const pane of panes) {
      if (!pane.image) continue;
      const { X, Y, w, h, dpr } = pane.map, g = pane.canvas.getContext("2d");
      g.setTransform(1, 0, 0, 1, 0, 0); g.clearRect(0, 0, pane.canvas.width, pane.canvas.height); g.drawImage(pane.image, 0, 0); g.scale(dpr, dpr);
      g.strokeStyle = theme.quiet; g.lineWidth = 1; g.beginPath(); g.moveTo(X(t), 16); g.lineTo(X(t), h - 16); g.stroke();
      g.font = "11px system-ui, sans-serif"; g.textBaseline = "middle"; g.textAlign = "left";
      let x = 40;
      pane.columns.forEach((c, k) => {
        const v = curves[c.channel][i] * (1 - s) + curves[c.channel][j] * s;
        g.fillStyle = CURVES[k % 8]; g.beginPath(); g.arc(X(t), Y(v), 3, 0, 7); g.fill();
        const text = c.name + " " + String(+v.toPrecision(3));
        if (x + g.measureText(text).width < w - 30) { g.fillText(text, x, 8); x += g.measureText(text).width + 10; }
      });
      g.textAlign = "right"; g.fillStyle = theme.quiet; g.fillText(pane.unit, w - 8, 8);
    }
  };
  return plots;
}
DalembertView.unpack = unpack;
root.DalembertView = DalembertView;
})(typeof window !== "undefined" ? window : globalThis);
