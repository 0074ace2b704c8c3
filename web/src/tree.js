// SPDX-License-Identifier: Apache-2.0
// Tensors by where they stand in the model: path of the module, operation, shape; or file, line, operation, shape. Repeated layers fold.
import { moduleOfWeight, placeOf, placeText, sourceText } from './places.js';

export const NO_MODULE = '(no module)';

/** Where a tensor comes from: {module, cls, file, line}; of an op without a module the one of its only weight. `texts`: null where they are not read yet. */
export function tensorPlace(run, texts, tensor) {
  const t = run.tensor(tensor);
  if (t.producer < 0) return { module: moduleOfWeight(t.name), cls: '', file: '', line: 0 };
  const template = run.templateOf(t.producer), place = placeOf(run.loc(t.producer), template >= 0 ? texts?.get(run.tpl.tpl_loc_full?.[template]) : '');
  const weights = template >= 0 ? run.weightsOf(template) : [];
  return { ...place, module: place.module || (weights.length === 1 ? moduleOfWeight(weights[0].name) : '') };
}

/** What a tensor is called: a weight by its name, a result by where its op stands in the model, else by the one weight that it is made of. */
export function tensorName(run, t) {
  if (t.cls === 0 || t.producer < 0) return t.name;
  const template = run.templateOf(t.producer), place = placeText(run.loc(t.producer)), weights = template >= 0 && !place ? run.weightsOf(template) : [];
  return place || (weights.length === 1 && (moduleOfWeight(weights[0].name) || weights[0].name)) || t.name;
}

/** Path of a tensor: segments from the outside in. */
function pathOf(run, texts, tensor, by) {
  const t = run.tensor(tensor), place = tensorPlace(run, texts, tensor);
  const leaf = [t.producer >= 0 ? run.name(t.producer) : run.className(t.cls), `${t.type.shape} ${t.type.storage || t.type.dtype}`];
  if (by === 'source') return place.file ? [place.file.slice(place.file.lastIndexOf('/') + 1), sourceText(place), ...leaf] : ['(no source line)', ...leaf];
  const { module } = place;
  return module ? [...module.split('.'), ...leaf] : [NO_MODULE, ...leaf];
}

const node = name => ({ name, sum: 0, count: 0, largest: 0, made: 0, freed: 0, children: new Map() });

function count(n, item) {
  n.sum += item.bytes;
  n.count++;
  n.largest = Math.max(n.largest, item.bytes);
  if (item.made) n.made += item.bytes;
  if (item.freed) n.freed += item.bytes;
}

/** The tree of some tensors, largest branches first, repeated layers folded unless their path is in `open`. */
export function treeOf(run, texts, items, by, open = new Set()) {
  const root = node('');
  for (const item of items) {
    let at = root;
    count(at, item);
    for (const name of pathOf(run, texts, item.tensor, by)) {
      if (!at.children.has(name)) at.children.set(name, node(name));
      at = at.children.get(name);
      count(at, item);
    }
  }
  return fold(root, '', open);
}

/** Three or more children that are numbered become one, whose branches are those of all of them. */
function fold(n, path, open) {
  let children = [...n.children.values()];
  const items = children.filter(c => /^\d+$/.test(c.name));
  const key = path ? `${path}.*` : '*';
  if (items.length >= 3 && !open.has(key)) {
    const all = node('*');
    for (const item of items) merge(all, item);
    const sums = items.map(c => c.sum).sort((a, b) => a - b), usual = sums[sums.length >> 1];
    all.times = items.length;
    all.each = usual;
    [all.least, all.most] = [sums[0], sums[sums.length - 1]];
    // Those that are not like the others.
    all.odd = items.filter(c => Math.abs(c.sum - usual) > Math.max(1, usual * 0.001)).map(c => ({ path: path ? `${path}.${c.name}` : c.name, sum: c.sum })).sort((a, b) => Math.abs(b.sum - usual) - Math.abs(a.sum - usual));
    children = [...children.filter(c => !items.includes(c)), all];
  }
  n.path = path;
  n.folds = items.length >= 3 ? key : '';
  n.list = children.sort((a, b) => b.sum - a.sum || (a.name < b.name ? -1 : 1)).map(c => fold(c, path ? `${path}.${c.name}` : c.name, open));
  return n;
}

function merge(into, from) {
  into.sum += from.sum;
  into.count += from.count;
  into.largest = Math.max(into.largest, from.largest);
  into.made += from.made;
  into.freed += from.freed;
  for (const [name, child] of from.children) {
    if (!into.children.has(name)) into.children.set(name, node(name));
    merge(into.children.get(name), child);
  }
}

/** Does any location of the run, or the name of a weight, tell a module? */
export const hasModules = tree => tree.list.some(c => c.name !== NO_MODULE);
