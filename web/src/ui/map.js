// SPDX-License-Identifier: Apache-2.0
// The memory map: addresses over time, the holes in the free memory at a place, and what lies between them.
import { mapChart, regionOf } from '../charts/map.js';
import { fill, h } from '../dom.js';
import { MIB, clip, count, mb } from '../format.js';
import { opLink, section, table } from './table.js';

/** Holes and pins at a boundary. A pin is what lies between two holes without a gap; `joined` is the hole there would be without it. */
export function holesAt(ctx, boundary) {
  const { run, view, state } = ctx;
  const region = regionOf(ctx);
  if (!region || boundary < 0) return null;
  const lives = view.lives(state.pool);
  const blocks = view.aliveAt(state.pool, boundary).map(i => ({ i, at: run.ten.address[lives.id[i]], size: lives.size[i] })).sort((a, b) => a.at - b.at);
  const end = region.base + region.bytes;
  const out = { holes: 0, free: 0, largest: 0, pins: [] };
  let at = region.base, hole = 0, pin = null;
  const close = upTo => {
    const next = Math.max(0, upTo - at);
    if (next) {
      out.holes++;
      out.free += next;
      out.largest = Math.max(out.largest, next);
    }
    if (pin && hole && next) out.pins.push({ ...pin, joined: hole + pin.bytes + next });
    hole = next;
    pin = null;
  };
  for (const block of blocks) {
    if (block.at > at) close(Math.min(block.at, end));
    pin ??= { at: block.at, bytes: 0, count: 0, block };
    pin.bytes += Math.max(0, block.at + block.size - Math.max(at, block.at));
    pin.count++;
    if (block.size > pin.block.size) pin.block = block;
    at = Math.max(at, block.at + block.size);
  }
  close(end);
  out.pins.sort((a, b) => b.joined - a.joined || a.at - b.at);
  return out;
}

const hex = n => `0x${n.toString(16)}`;

/** null for a run without addresses. */
export function mapSection(ctx) {
  const { run, state } = ctx;
  if (!run.meta.regions || !run.ten.address) return null;
  const answer = h('p', { class: 'answer', id: 'map-answer' });
  const plot = h('div', { class: 'plot', id: 'plot-map' });
  const list = h('div');
  const box = section('map', 'Memory map', answer, h('div', { class: 'graph-head' }, h('h3', null, 'Addresses in each bank over the run, MB')), plot, list);
  const draw = () => {
    const { view } = ctx, k = state.pool, p = view.pool(k);
    const boundary = state.selected >= 0 && view.has(state.selected) ? view.boundary(view.posOf(state.selected)) : p.worst > 0 ? p.worstAt : p.maxAt;
    const found = holesAt(ctx, boundary);
    plot.hidden = !found;
    if (!found) {
      fill(answer, `The addresses of ${run.pools[k]} are not known.`);
      return fill(list);
    }
    const step = view.stepAt(boundary - 1);
    fill(answer, 'After ', opLink(run, state, step), ': ', h('b', null, `${count(found.holes)} ${found.holes === 1 ? 'hole' : 'holes'}, ${mb(found.free / MIB)} free, the largest ${mb(found.largest / MIB)} MB per bank`),
      found.pins.length ? '. What lies between holes, and the block that there would be without it:' : '.');
    const lives = view.lives(k);
    const maker = r => run.tensor(lives.id[r.block.i]).producer;
    fill(list, found.pins.length ? table({
      id: 'pins', rows: found.pins.slice(0, 20), pick: r => maker(r) >= 0 && state.select(maker(r), 'table'),
      columns: [{ head: 'address', cls: 'mono', cell: r => hex(r.at) }, { head: 'MB per bank', num: true, cell: r => mb(r.bytes / MIB) }, { head: 'tensors', num: true, cell: r => count(r.count) },
        { head: 'largest made by', cell: r => (maker(r) >= 0 ? opLink(run, state, maker(r)) : '–') }, { head: 'operation', cls: 'mono', cell: r => clip(maker(r) >= 0 ? run.name(maker(r)) : '', 50) },
        { head: 'one block without it', num: true, cell: r => mb(r.joined / MIB) }],
    }) : '');
  };
  state.on('pool unit scope selected', draw);
  draw();
  return { box, chart: () => ctx.addChart(mapChart, plot) };
}
