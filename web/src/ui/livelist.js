// SPDX-License-Identifier: Apache-2.0
// Beside the graphs: what is alive at the cursor, else after the selected op, else at the peak; largest first.
import { fill, frame, h } from '../dom.js';
import { MIB, bytes, clip, count, mb, percent } from '../format.js';
import { momentOf } from '../moment.js';
import { CLASSES, IN_NO_TENSOR, NONE } from '../run.js';
import { tensorName } from '../tree.js';
import { VirtualList } from './vlist.js';

const PRINTED = 12;

export function mountLiveList(ctx, host) {
  const { run, state } = ctx;
  const title = h('h2', { id: 'alive-title' });
  const answer = h('p', { class: 'answer', id: 'alive-answer' });
  const strip = h('div', { class: 'strip', 'aria-hidden': 'true' });
  const more = h('p', { class: 'dim alive-more', hidden: true });
  const box = h('div', { class: 'alive-rows', id: 'alive-list' });
  host.append(h('section', { class: 'alive', 'aria-label': 'What is alive' }, h('div', { class: 'alive-head' }, title, answer, strip), box, more));
  let live = [];
  let held = [];
  let at = -1;
  const list = new VirtualList({ host: box, rowHeight: 38, label: 'Live tensors, largest first', row: i => (held.length ? heldRow(ctx, held[i]) : i < live.length ? row(ctx, live[i]) : untold(sums(ctx, state.pool, at, live).beyond[i - live.length])) });

  const draw = frame(() => {
    const { view } = ctx;
    const k = state.pool, { c, step, last, peak: highest } = momentOf(ctx, true);
    const s = view.pool(k);
    if (c < 0 || view.n === 0) {
      fill(title, 'What is alive');
      fill(answer, 'neither memory lines nor tensors of this pool are in the log');
      fill(strip);
      live = [];
      held = [];
      return list.setCount(0);
    }
    at = c;
    live = view.aliveAt(k, c);
    // A level held from an earlier block is not the peak again.
    const peak = highest || c === view.fullest(k) || (s.seen && s.alloc[c] === s.max && view.measuredAt(k, c));
    fill(title, `Alive ${last ? 'before' : 'after'} ${run.label(step)}`, peak ? h('span', { class: 'peak-tag' }, s.seen ? ` ${run.pools[k]} peak` : ` most ${run.pools[k]} in known tensors`) : null);
    const { parts, known, all, beyond } = sums(ctx, k, c, live);
    held = s.seen ? view.heldAt(k, c) : [];
    fill(answer, h('b', null, mb(s.seen ? s.alloc[c] * state.scale(k) : known)), ` ${state.unitText(k)}`, s.seen && ctx.above(k, c) ? exceeding(view.measuredAt(k, c), live.length, known) : held.length ? ', held by difference' : ` in ${count(live.length)} ${live.length === 1 ? 'tensor' : 'tensors'}`, padded(view, k, c), h('br'), parts.map(([n, v, text]) => h('span', { class: 'part' }, h('i', { class: `key ${n}` }), `${text} ${mb(v)}`)));
    fill(strip, parts.map(([n, v]) => {
      const e = h('i', { class: `key ${n}` });
      e.style.width = `${(100 * v) / Math.max(all, 1e-9)}%`;
      return e;
    }));
    list.setCount(held.length || live.length + beyond.length);
  });
  // The rows name tensors of one pool in one view: none is drawn once these have changed.
  state.on('pool scope', () => list.setCount(0));
  state.on('hover selected pool unit scope pins', draw);
  // Paper does not scroll: it gets the largest ones, whole.
  state.on('print', () => {
    list.still(state.printing ? PRINTED : 0);
    more.hidden = !state.printing || list.count <= PRINTED;
    fill(more, `and ${count(list.count - PRINTED)} smaller ones`);
  });
  draw();
}

/** Without op lines no tensor is known: what is held since which step, by difference. */
function heldRow({ view, state }, [step, size]) {
  const text = [h('i', { class: 'key rest' }), h('span', { class: 'mono' }, `held since ${clip(view.since(step), 72)}`),
    h('span', { class: 'num' }, mb((size / 1048.576) * state.scale(state.pool))), h('span', { class: 'dim sub' }, 'by difference: a rise that no later fall gives back')];
  return step < 0 ? h('div', { class: 'live held' }, text) : h('button', { type: 'button', class: 'live held', 'data-step': String(step), onclick: () => state.select(step, 'alive') }, text);
}

/** Size of a live tensor in MB of the unit in use: its share in a bank, or the whole tensor. */
function sizeOf(ctx, k, index) {
  const { run, state, view } = ctx;
  const { id, size } = view.lives(k);
  return (state.unitOf(k) === 'total' ? run.tpl.type_physical[run.ten.type[id[index]]] : size[index]) / MIB;
}

/**
 * What the live tensors add up to by class, and what the memory lines hold beyond them: as far as there is room, what the rules
 * compute of memory in no tensor; then what nothing explains.
 */
function sums(ctx, k, c, live) {
  const { run, state, view } = ctx;
  const s = view.pool(k), { id } = view.lives(k);
  const byClass = CLASSES.map(() => 0);
  for (const i of live) byClass[run.ten.cls ? run.ten.cls[id[i]] : 1] += sizeOf(ctx, k, i);
  const known = byClass.reduce((a, b) => a + b, 0);
  let rest = s.seen ? Math.max(0, s.alloc[c] * state.scale(k) - known) : 0;
  const all = known + rest;
  const computed = view.computedAt(k, c), banks = state.unitOf(k) === 'total' ? run.banks(k, run.firstBlock(view.rank)) : 1;
  const beyond = [];
  let room = Math.max(0, rest - (view.beforeOps(c) * banks) / MIB);
  for (const [cls, [words, estimate]] of IN_NO_TENSOR) {
    const size = Math.min(room, ((computed.get(cls) ?? 0) * banks) / MIB);
    if (size < 0.0005) continue;
    rest -= size;
    room -= size;
    beyond.push([CLASSES[cls], size, `${CLASSES[cls]} (computed)`, `${words}: in no tensor of the log, by the ops that ran${estimate ? '; an estimate' : ''}`]);
  }
  if (rest >= 0.0005) beyond.push(['rest', rest, 'unattributed', 'allocated, but no tensor in the log accounts for it']);
  const parts = [...CLASSES.map((n, i) => [n, byClass[i], run.className(i)]).filter(p => p[1] >= 0.0005), ...beyond];
  return { parts, known, all, beyond };
}

/** A row for what is in no tensor. */
function untold([cls, size, text, why] = ['rest', 0, '', '']) {
  return h('div', { class: 'live' }, h('i', { class: `key ${cls}` }), h('button', { type: 'button', class: 'link mono', 'data-word': cls === 'rest' ? 'unattributed' : 'computed', title: 'what this word means' }, text), h('span', { class: 'num' }, mb(size)), h('span', { class: 'dim sub' }, why));
}

/** Said when the known tensors add up to more than the memory lines hold. */
function exceeding(measured, n, known) {
  return [measured ? ' allocated; the ' : ' at the last memory line; the ', `${count(n)} known tensors add up to `, h('b', null, mb(known)), measured ? ': not all of them can still be alive' : ''];
}

/** The share of padding in the live set, when it is worth saying. */
function padded(view, k, c) {
  const s = view.padding(k);
  return s.lost[c] > 0.005 * s.physical[c] ? [', ', h('b', null, `${percent(s.lost[c], s.logical[c])} padding on top`)] : null;
}

function row(ctx, index) {
  const { run, state, view } = ctx;
  const lives = view.lives(state.pool);
  const i = lives.id[index];
  const t = run.tensor(i);
  const y = t.type;
  const padding = y.lost > 0 ? ` · +${percent(y.lost, y.logical)} padding` : '';
  const made = t.producer >= 0 ? `${run.label(t.producer)} ${run.name(t.producer)}` : t.cls === 0 || t.cls === 3 ? run.className(t.cls) : 'before the log';
  const life = run.ten.life ? run.ten.life[i] : NONE;
  const ir = t.producer >= 0 ? ctx.irLine(t.producer) : null;
  const last = life === NONE ? -1 : run.recordUpTo(t.death);
  const freed = last >= 0 ? `freed after #${last}` : life === NONE ? 'never freed' : 'freed before the first op';
  const named = tensorName(run, t);
  const text = [h('i', { class: `key ${CLASSES[t.cls]}`, title: run.className(t.cls) }), h('span', { class: 'mono' }, y.shape || !IN_NO_TENSOR.has(t.cls) ? [clip(y.shape, 40), ' ', y.storage || y.dtype] : CLASSES[t.cls], named ? h('span', { class: 'dim' }, ` ${clip(named, 60)}`) : null),
    h('span', { class: 'num' }, mb(sizeOf(ctx, state.pool, index))),
    h('span', { class: 'dim sub', title: clip(`${y.layout}${y.grid ? ` on ${y.grid}` : ''} · ${y.logical > 0 ? `whole tensor: logical ${bytes(y.logical)}, padded` : 'all banks:'} ${bytes(y.physical)}`, 300) }, clip(`${made}${ir ? ` · ${ir.stage.toUpperCase()}:${ir.line}` : ''} · ${freed}${padding} · ${y.layout}`, 160))];
  return h('button', { type: 'button', class: `live${state.pins.includes(i) ? ' selected' : ''}`, 'data-step': String(t.producer), 'data-tensor': String(i), onclick: e => state.pin(i, e.shiftKey) }, text);
}
