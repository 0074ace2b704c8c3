// SPDX-License-Identifier: Apache-2.0
// A location as the model's author knows it: path of the module, class, source file and line, operation. Frameworks write it as
//   0|Model[model]|Linear[model.layers[3].q_proj]|/src/net.py:523|forward|530|aten__addmm     TT-XLA with PyTorch
//   jit(main)/layers_3/attention/dot_general                                                   JAX
//   /src/net.py:47:11                                                                          a file
// Anything else is a name of its own.

const NOTHING = /^(-?\d*|unknown\w*)$/;
const MODULE = /^([A-Za-z_][\w.]*)\[(.*)\]$/s;
const SOURCE = /^(.*\.\w{1,5}):(\d+)(?::\d+)?$/s;
const FILE = /"([^"]+\.\w{1,5})":(\d+)/;
const WRAPPER = /^(jit|pjit|jvp|vmap|transpose|remat|checkpoint|custom_jvp|custom_vjp)\(.*\)$/;

const known = new Map();

/** {module, cls, file, line, op}: empty text or 0 for what the location does not tell. `full`: as the compiler prints it. */
export function placeOf(text, full = '') {
  const key = full ? `${text}\n${full}` : text;
  if (!known.has(key)) {
    const place = parse(text), inside = place.file ? null : FILE.exec(full);
    if (inside) Object.assign(place, { file: inside[1], line: Number(inside[2]) });
    if (known.size > 1e5) known.clear();
    known.set(key, place);
  }
  return known.get(key);
}

function parse(text) {
  const place = { module: '', cls: '', file: '', line: 0, op: '' };
  // Of fused locations the first one with a module says where it is.
  const first = text.split(', ').find(t => t.includes('|') || t.includes('/')) ?? text;
  if (first.includes('|')) fromBars(place, first.split('|'));
  else if (SOURCE.test(first)) fromSource(place, first);
  else if (/^[\w().\[\]-]+(\/[\w().\[\]-]+)+$/.test(first)) fromSlashes(place, first.split('/'));
  else place.op = text;
  return place;
}

function fromSource(place, text) {
  const m = SOURCE.exec(text);
  place.file = m[1];
  place.line = Number(m[2]);
}

function fromBars(place, parts) {
  for (const [i, part] of parts.entries()) {
    const module = MODULE.exec(part);
    if (module) [place.cls, place.module] = [module[1], normal(module[2])];
    else if (SOURCE.test(part)) {
      fromSource(place, part);
      // The number after the function is the line that was running; the one at the file is where the function begins.
      if (/^\d+$/.test(parts[i + 2] ?? '')) place.line = Number(parts[i + 2]);
    }
  }
  const last = parts[parts.length - 1];
  if (!NOTHING.test(last) && !MODULE.test(last) && !SOURCE.test(last)) place.op = last;
}

function fromSlashes(place, parts) {
  place.op = parts.pop();
  place.module = normal(parts.filter(p => !WRAPPER.test(p)).join('.'));
}

/** `layers[3]` and `layers_3` are item 3 of layers. */
const normal = path => path.replace(/\[['"]?([\w.-]+)['"]?\]/g, '.$1').replace(/_(\d+)(?=\.|$)/g, '.$1').replace(/^\.|\.$/g, '');

/** `L['self'].layers[6].mlp.down.weight` as PyTorch names it: dots are lost, numbers and the parameter's own name can be told. */
const MANGLED = /^l__self___(.+)_(weight|bias|scale|gamma|beta|kernel|running_mean|running_var|inv_freq|embedding|embeddings|table|buffer|g|b)$/i;

/** The module that owns a weight: its name without the parameter's own. */
export function moduleOfWeight(name) {
  const mangled = MANGLED.exec(name);
  if (mangled) return mangled[1].replace(/_(\d+)(?=_|$)/g, '.$1').replace(/(\.\d+)_/g, '$1.');
  const path = normal(name.replace(/^(params|variables)\[['"]params['"]\]/, ''));
  return /^[A-Za-z_][\w.-]*\.[\w-]+$/.test(path) ? path.replace(/\.[^.]*$/, '') : '';
}

const fileName = path => path.slice(path.lastIndexOf('/') + 1);
export const sourceText = p => (p.file ? `${fileName(p.file)}${p.line ? `:${p.line}` : ''}` : '');

/** `layers.29.attn  net.py:523` where the location tells, else the location. */
export function placeText(text) {
  const p = placeOf(text);
  return p.module || p.file ? [p.module, sourceText(p)].filter(Boolean).join('  ') : p.op;
}
