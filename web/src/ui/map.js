// SPDX-License-Identifier: Apache-2.0
// The memory map: addresses over time, the holes in the free memory at a place, and what lies between them.
import { mapChart, regionOf, shownRegion } from '../charts/map.js';
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
  const out = { holes: 0, free: 0, largest: 0, pins: [], list: [] };
  let at = region.base, hole = 0, pin = null, below = null;
  const close = (upTo, above) => {
    const next = Math.max(0, upTo - at);
    if (next) {
      out.holes++;
      out.free += next;
      out.largest = Math.max(out.largest, next);
      out.list.push({ at, size: next, below, above });
    }
    if (pin && hole && next) out.pins.push({ ...pin, joined: hole + pin.bytes + next });
    hole = next;
    pin = null;
  };
  for (const block of blocks) {
    if (block.at > at) close(Math.min(block.at, end), block);
    pin ??= { at: block.at, bytes: 0, count: 0, block };
    pin.bytes += Math.max(0, block.at + block.size - Math.max(at, block.at));
    pin.count++;
    if (block.size > pin.block.size) pin.block = block;
    if (block.at + block.size >= at) below = block;
    at = Math.max(at, block.at + block.size);
  }
  close(end, null);
  out.pins.sort((a, b) => b.joined - a.joined || a.at - b.at);
  return out;
}

const hex = n => `0x${n.toString(16)}`;

/** null for a run without addresses. */
export function mapSection(ctx) {
  const { run, state } = ctx;
  if (!run.meta.regions || !run.ten.address) return null;
  const answer = h('p', { class: 'answer', id: 'map-answer' });
  const ends = h('p', { class: 'answer', id: 'hole-answer', role: 'status' }, 'Click free memory in the map, or a hole below, to see what bounds it.');
  const plot = h('div', { class: 'plot', id: 'plot-map' });
  const list = h('div', { class: 'wide' }), holes = h('div', { class: 'wide' });
  const more = h('button', { type: 'button', class: 'link', id: 'map-whole', onclick: () => { whole = !whole; region(); chart.show(); } });
  const heading = h('h3');
  const box = section('map', 'Memory map', answer, h('div', { class: 'graph-head' }, heading, more), plot, ends, list, holes);
  let chosen = null, whole = false, kept = null;
  /** What is drawn, worked out once per pool and scope. */
  const region = () => {
    kept = shownRegion(ctx, whole);
    heading.textContent = run.per(state.pool) === 'per core' ? 'Addresses in one core over the run, MB; other cores differ' : 'Addresses in each bank over the run, MB';
    more.hidden = !whole && !kept?.left;
    more.textContent = whole ? 'show the used part' : `show the whole pool, ${mb((kept?.left ?? 0) / MIB)} MB more`;
  };

  /** One end of a hole: what lies there, since when and by which op. */
  const end = (side, block, boundary) => {
    if (!block) return [h('b', null, side), ': the end of the pool. '];
    const t = run.tensor(ctx.view.lives(state.pool).id[block.i]);
    const since = t.producer >= 0 ? t.producer : t.birth;
    const when = run.time && since >= 0 ? ` (${(run.time.step(since) / 1000).toFixed(3)} s)` : '';
    const last = t.death >= 0 && t.death < run.count ? run.recordUpTo(t.death) : -1;
    const until = last >= 0 ? [', freed after ', opLink(run, state, run.records[last])] : ', to the end of the run';
    return [h('b', null, side), `: ${mb(block.size / MIB)} MB ${run.per(state.pool)} at ${hex(block.at)}`, since >= 0 ? [' since ', opLink(run, state, since), ` ${clip(run.name(since), 40)}${when}`] : ' from the start', until, '. '];
  };
  const choose = (boundary, hole) => {
    chosen = hole && { boundary, at: hole.at, size: hole.size };
    fill(ends, hole ? [h('b', null, `Hole of ${mb(hole.size / MIB)} MB ${run.per(state.pool)}`), ` at ${hex(hole.at)} to ${hex(hole.at + hole.size)}, after `, opLink(run, state, ctx.view.stepAt(boundary - 1)), '. ', end('Below', hole.below, boundary), end('Above', hole.above, boundary)] : 'Click free memory in the map, or a hole below, to see what bounds it.');
    chart?.show();
  };
  const boundaryNow = () => {
    const { view } = ctx, p = view.pool(state.pool);
    return state.selected >= 0 && view.has(state.selected) ? view.boundary(view.posOf(state.selected)) : p.worst > 0 ? p.worstAt : p.maxAt;
  };
  const maker = block => (block ? run.tensor(ctx.view.lives(state.pool).id[block.i]).producer : -1);
  const made = block => (!block ? 'end of the pool' : maker(block) >= 0 ? [opLink(run, state, maker(block)), ` ${clip(run.name(maker(block)), 30)}`] : 'from the start');
  const draw = () => {
    const { view } = ctx, k = state.pool, boundary = boundaryNow();
    const found = holesAt(ctx, boundary);
    plot.hidden = ends.hidden = !found;
    if (!found) {
      fill(answer, `The addresses of ${run.pools[k]} are not known.`);
      fill(holes);
      return fill(list);
    }
    const step = view.stepAt(boundary - 1);
    fill(answer, 'After ', opLink(run, state, step), ': ', h('b', null, `${count(found.holes)} ${found.holes === 1 ? 'hole' : 'holes'}, ${mb(found.free / MIB)} free, the largest ${mb(found.largest / MIB)} MB ${run.per(state.pool)}`),
      found.pins.length ? '. What separates the holes, and the block there would be without it:' : '.');
    fill(list, found.pins.length ? table({
      id: 'pins', rows: found.pins.slice(0, 20), pick: r => maker(r.block) >= 0 && state.select(maker(r.block), 'table'),
      columns: [{ head: 'address', cls: 'mono', cell: r => hex(r.at) }, { head: `MB ${run.per(state.pool)}`, num: true, cell: r => mb(r.bytes / MIB) }, { head: 'tensors', num: true, cell: r => count(r.count) },
        { head: 'largest made by', cell: r => (maker(r.block) >= 0 ? opLink(run, state, maker(r.block)) : '–') }, { head: 'name', cls: 'mono', cell: r => clip(maker(r.block) >= 0 ? run.name(maker(r.block)) : '', 50) },
        { head: 'one block without it', num: true, cell: r => mb(r.joined / MIB) }],
    }) : '');
    const largest = [...found.list].sort((a, b) => b.size - a.size || a.at - b.at).slice(0, 20);
    fill(holes, largest.length ? [h('h3', null, 'Holes, the largest first'), table({
      id: 'holes', rows: largest, pick: r => choose(boundary, r),
      columns: [{ head: 'address', cls: 'mono', cell: r => h('button', { type: 'button', class: 'link', onclick: e => { e.stopPropagation(); choose(boundary, r); } }, hex(r.at)) }, { head: `MB ${run.per(state.pool)}`, num: true, cell: r => mb(r.size / MIB) },
        { head: 'below it', cell: r => made(r.below) }, { head: 'above it', cell: r => made(r.above) }],
    })] : '');
  };
  let chart = null;
  state.on('pool unit scope selected', draw);
  state.on('pool scope', () => { region(); choose(-1, null); });
  region();
  draw();
  return {
    box,
    chart: () => {
      chart = ctx.addChart((c, host) => mapChart(c, host, () => chosen, () => kept), plot);
      // Free memory: the hole that lies there then.
      chart.clicked = (x, y) => {
        if (chart.under(x, y) !== null) return false;
        const boundary = Math.floor(chart.u.posToVal(x, 'x')) + 1, address = chart.u.posToVal(y, 'y') * MIB;
        if (boundary < 0 || boundary >= ctx.view.bounds) return false;
        const hole = holesAt(ctx, boundary)?.list.find(o => o.at <= address && address < o.at + o.size);
        if (!hole) return false;
        choose(boundary, hole);
        return true;
      };
    },
  };
}
