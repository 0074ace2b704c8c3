// SPDX-License-Identifier: Apache-2.0
// The pinned tensor: who made it, who uses it, its last use, its end, what freeing it there would save, its form and its places. Two of
// them stand side by side.
import { pinned } from '../charts/overlay.js';
import { fill, h } from '../dom.js';
import { bytes, clip, count, mb, percent, visible } from '../format.js';
import { sourceText } from '../places.js';
import { tensorPlace } from '../tree.js';
import { CLASSES, IN_NO_TENSOR } from '../run.js';
import { copiesOf, peakWithout, resultTensor } from '../uses.js';
import { blockShare } from './blockfloat.js';
import { paddingBytes } from './padding.js';
import { opLink } from './table.js';

const SHOWN_USES = 12, MORE_USES = 200;

export function mountPin(ctx, host) {
  const { state } = ctx;
  const box = h('section', { class: 'panel pin', id: 'pin-panel', 'aria-label': 'Highlighted tensor', hidden: true });
  host.prepend(box);
  let texts = null;
  const draw = () => {
    box.hidden = !state.pins.length;
    if (box.hidden) return fill(box);
    // Whole locations are read when they are asked for first.
    if (!texts) ctx.run.texts().then(t => { texts = t; draw(); });
    const facts = state.pins.map(i => describe(ctx, i, texts));
    const names = [...new Set(facts.flatMap(f => [...f.keys()]))];
    fill(box, h('div', { class: 'row' }, h('h2', { id: 'pin-title' }, state.pins.length > 1 ? 'Two highlighted tensors' : 'Highlighted tensor'), h('span', { class: 'spacer' }),
      h('span', { class: 'dim hint' }, state.pins.length > 1 ? '' : 'shift-click another to compare'),
      h('button', { type: 'button', class: 'icon close', id: 'pin-close', title: 'clear the highlight', 'aria-label': 'Clear the highlight', onclick: () => state.pin(-1) }, '×')),
    h('dl', { class: `facts-list${facts.length > 1 ? ' two' : ''}` }, names.map(name => [h('dt', null, name), facts.map(f => h('dd', { 'data-fact': name }, f.get(name) ?? h('span', { class: 'dim' }, '–')))])));
  };
  state.on('pins unit pool scope', draw);
  draw();
}

/** The button that pins: a tensor as a link. */
export function pinLink({ state }, tensor, text) {
  return h('button', { type: 'button', class: 'link mono', 'data-tensor': String(tensor), title: 'highlight this tensor', onclick: e => { e.stopPropagation(); state.pin(tensor, e.shiftKey); } }, text);
}

function size(ctx, y) {
  const { run, state } = ctx, total = state.unitOf(y.pool) === 'total' || !(y.bank > 0);
  return `${bytes(total ? y.physical : y.bank)} ${total ? 'in total' : run.per(y.pool)}`;
}

/** Name of a fact -> what is shown of it, in the order of reading. */
function describe(ctx, i, texts) {
  const { run, state, view } = ctx;
  const t = run.tensor(i), y = t.type, uses = pinned(ctx, i), facts = new Map();
  const step = s => [opLink(run, state, s), ' ', h('span', { class: 'mono' }, clip(run.name(s), 40))];
  facts.set('tensor', [h('i', { class: `key ${CLASSES[t.cls]}` }), h('b', { class: 'mono' }, clip(`${y.shape} ${y.storage || y.dtype}`, 80)), ` ${run.className(t.cls)} `, h('span', { class: 'mono dim' }, clip(t.name, 100))]);
  facts.set('takes', size(ctx, y));
  const lost = paddingBytes(state, y);
  facts.set('padding', lost > 0 ? `${bytes(lost)}, ${percent(y.lost, y.logical)} on top${y.padded ? ` (${y.padded})` : ''}` : y.logical > 0 || IN_NO_TENSOR.has(t.cls) ? 'none' : 'not known');
  const share = blockShare(y), unit = state.unitOf(y.pool) === 'total' || !(y.bank > 0) ? y.physical : y.bank;
  if (share < 1) facts.set('in bfloat8_b', `${bytes(unit * share)}, ${bytes(unit * (1 - share))} less, by size alone`);
  facts.set('layout', clip(`${y.layout}${y.grid ? ` on ${y.grid}` : ''}${y.pool < run.pools.length ? ` in ${run.pools[y.pool]}` : ''}`, 200));
  facts.set('made by', t.producer >= 0 ? step(t.producer) : t.cls === 0 || t.cls === 3 ? 'an argument of the program' : 'before the log');
  facts.set('used by', uses.steps.length ? consumers(ctx, uses.steps) : 'no op of the log');
  facts.set('last use', uses.last >= 0 ? step(uses.last) : '–');
  const gone = t.death >= 0 ? run.recordUpTo(t.death) : -1;
  facts.set('freed', t.death < 0 ? 'never' : gone >= 0 ? ['after ', opLink(run, state, run.records[gone])] : 'before the first op');
  facts.set('freed at its last use', saving(ctx, i, y, uses));
  const at = tensorPlace(run, texts, i);
  if (at.module) facts.set('module', h('span', { class: 'mono' }, clip(at.module, 160), at.cls && h('span', { class: 'dim' }, ` ${at.cls}`)));
  if (at.file) facts.set('source', h('span', { class: 'mono', title: visible(at.file) }, clip(sourceText(at), 120)));
  const ir = t.producer >= 0 ? ctx.irLine(t.producer) : null;
  if (ir) facts.set('IR', h('button', { type: 'button', class: 'button', onclick: () => ctx.openIr(ir) }, `${ir.stage.toUpperCase()}:${ir.line}`));
  if (y.advice && y.lost > 0) facts.set('would avoid the padding', visible(y.advice));
  return facts;
}

/** All of them as links, some at first. */
function consumers({ run, state }, steps) {
  const box = h('span');
  const draw = shown => fill(box, steps.slice(0, shown).map((s, n) => [n ? ', ' : '', opLink(run, state, s)]), steps.length > shown && [' ',
    h('button', { type: 'button', class: 'link more-uses', 'aria-label': `show more of the ${count(steps.length)} ops that use it`, onclick: () => draw(shown + MORE_USES) }, `and ${count(steps.length - shown)} more`)]);
  draw(SHOWN_USES);
  return box;
}

function saving(ctx, i, y, uses) {
  const { view, state, run } = ctx, k = y.pool;
  if (uses.kept) return 'it outlives its program: what uses it then is not in the log';
  if (uses.last < 0) return 'its uses are not in the log';
  const pool = k < run.pools.length ? view.pool(k) : null, from = view.boundaryAfter(uses.last);
  if (!pool?.seen || !(y.bank > 0) || from < 0) return 'not known: the level was not measured';
  if (view.upTo(uses.free) <= from || run.recordUpTo(uses.free) <= run.recordOf[uses.last]) return 'it is freed there already';
  const ops = run.recordUpTo(uses.free) - run.recordOf[uses.last], s = state.scale(k);
  const idle = `alive for ${count(ops)} ${ops === 1 ? 'op' : 'ops'} without use`;
  const copies = copiesOf(run, i, uses), then = peakWithout(view, k, copies), where = copies.length > 1 ? `, all ${count(copies.length)} times it is made` : '';
  return then < pool.max - 0.5 ? [h('b', null, `peak ${mb(pool.max * s)} → ${mb(then * s)}`), `${where}; ${idle}`] : `the peak stays at ${mb(pool.max * s)}${where}; ${idle}`;
}

/** Name of an operand or result of an op -> the tensor it is; a name that is not there is a view, or not on the device. */
export function tensorsOf({ run }, step) {
  const found = new Map(), t = run.templateOf(step), { tpl } = run;
  if (t < 0) return found;
  for (const v of run.values(t, 'out')) found.set(v.name, resultTensor(run, step, v.name));
  const wanted = new Set(tpl.in_name.subarray(tpl.tpl_in[t], tpl.tpl_in[t + 1]));
  const program = run.program(step), first = program >= 0 ? run.programs.first_step[program] : 0;
  for (let s = step - 1; s >= first && wanted.size; s--) {
    const at = run.templateOf(s);
    if (at < 0 || run.program(s) !== program || run.rankOf(s) !== run.rankOf(step)) continue;
    for (let o = tpl.tpl_out[at]; o < tpl.tpl_out[at + 1]; o++) {
      if (!wanted.delete(tpl.out_name[o])) continue;
      const name = run.str.get(tpl.out_name[o]);
      found.set(name, resultTensor(run, s, name));
    }
  }
  if (wanted.size) addArguments(run, step, wanted, found);
  return found;
}

/** Arguments of the program: by the name of the weight, or by their own. */
function addArguments(run, step, wanted, found) {
  const { ten } = run, rank = run.rankOf(step), byName = new Map();
  for (const id of wanted) byName.set(run.str.get(id), run.str.get(id));
  for (const w of run.weightsOf(run.templateOf(step))) if (w.ssa && byName.has(w.ssa) && w.name) byName.set(w.name, w.ssa);
  for (let i = 0; i < ten.count; i++) {
    if (!ten.back || ten.back[i] >= 0 || (ten.rank ? ten.rank[i] : 0) !== rank) continue;
    const operand = byName.get(run.str.get(ten.name?.[i]));
    if (operand !== undefined && !found.has(operand)) found.set(operand, i);
  }
}
