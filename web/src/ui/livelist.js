// Beside the graphs: what is alive at the cursor, else after the selected op, else at the peak; largest first.
import { fill, frame, h } from '../dom.js';
import { bytes, clip, count, mb, percent } from '../format.js';
import { CLASSES, NONE } from '../run.js';
import { VirtualList } from './vlist.js';

export function mountLiveList(ctx, host) {
  const { run, state } = ctx;
  const title = h('h2', { id: 'alive-title' });
  const answer = h('p', { class: 'answer', id: 'alive-answer' });
  const strip = h('div', { class: 'strip', 'aria-hidden': 'true' });
  const box = h('div', { class: 'alive-rows', id: 'alive-list' });
  host.append(h('section', { class: 'alive', 'aria-label': 'What is alive' }, h('div', { class: 'alive-head' }, title, answer, strip), box));
  let live = [];
  let at = -1;
  const list = new VirtualList({ host: box, rowHeight: 38, label: 'Live tensors, largest first', row: i => row(ctx, live[i], at) });

  const place = () => {
    const { view } = ctx;
    const s = view.pool(state.pool);
    if (state.hover !== null && state.hover !== undefined) return { c: view.boundary(state.hover), why: 'cursor' };
    if (state.selected >= 0 && run.rankOf(state.selected) === view.rank) return { c: view.boundary(view.posOf(state.selected)), why: 'selected' };
    return { c: s.maxAt, why: 'peak' };
  };
  const draw = frame(() => {
    const { view } = ctx;
    const { c, why } = place();
    const s = view.pool(state.pool);
    if (c < 0 || view.n === 0) {
      fill(title, 'What is alive');
      fill(answer, 'no memory figures for this pool');
      live = [];
      return list.setCount(0);
    }
    at = c;
    live = view.aliveAt(state.pool, c);
    const last = why !== 'peak' && view.stepAt(c - 1) !== (why === 'cursor' ? view.stepAt(state.hover) : state.selected);
    const step = view.stepAt(last ? c : c - 1);
    const peak = c === s.maxAt || (why !== 'peak' && s.alloc[c] === s.max);
    fill(title, `Alive ${last ? 'before' : 'after'} ${run.label(step)}`, peak ? h('span', { class: 'peak-tag' }, ` ${run.pools[state.pool]} peak`) : null);
    const lives = view.lives(state.pool), scale = state.scale(state.pool);
    const sums = CLASSES.map(() => 0);
    for (const i of live) sums[run.ten.cls ? run.ten.cls[lives.id[i]] : 1] += lives.size[i] / 1048.576;
    const attributed = sums.reduce((a, b) => a + b, 0);
    const rest = Math.max(0, s.alloc[c] - attributed);
    const parts = [...CLASSES.map((n, k) => [n, sums[k]]), ['rest', rest]].filter(p => p[1] >= 0.5);
    fill(answer, h('b', null, mb(s.alloc[c] * scale)), ` ${state.unitText} in ${count(live.length)} tensors`, padded(view, state.pool, c), h('br'), parts.map(([n, v]) => h('span', { class: 'part' }, h('i', { class: `key ${n}` }), `${n === 'rest' ? 'unattributed' : n} ${mb(v * scale)}`)));
    const all = Math.max(attributed + rest, 1e-9);
    fill(strip, parts.map(([n, v]) => {
      const e = h('i', { class: `key ${n}` });
      e.style.width = `${(100 * v) / all}%`;
      return e;
    }));
    list.setCount(live.length + (rest >= 0.5 ? 1 : 0));
    live.rest = rest * scale;
  });
  state.on('hover selected pool unit rank', draw);
  draw();
}

/** The share of padding in the live set, when it is worth saying. */
function padded(view, k, c) {
  const s = view.padding(k);
  const lost = s.physical[c] - s.logical[c];
  return lost > 0.005 * s.physical[c] ? [', ', h('b', null, `${percent(lost, s.physical[c])} of it padding`)] : null;
}

function row(ctx, index, c) {
  const { run, state, view } = ctx;
  if (index === undefined) return h('div', { class: 'live' }, h('i', { class: 'key rest' }), h('span', { class: 'mono' }, 'unattributed'), h('span', { class: 'num' }, mb(Math.max(0, view.pool(state.pool).alloc[c] * state.scale(state.pool) - (view.padding(state.pool).bank[c] / 1048.576) * state.scale(state.pool)))), h('span', { class: 'dim sub' }, 'allocated, but no tensor in the log accounts for it'));
  const lives = view.lives(state.pool);
  const i = lives.id[index];
  const t = run.tensor(i);
  const y = t.type;
  const padding = y.physical > y.logical ? ` · ${percent(y.physical - y.logical, y.physical)} padding` : '';
  const made = t.producer >= 0 ? `${run.label(t.producer)} ${run.name(t.producer)}` : t.cls === 0 ? 'weight' : t.cls === 3 ? 'input' : 'before the log';
  const life = run.ten.life ? run.ten.life[i] : NONE;
  const ir = t.producer >= 0 ? ctx.irLine(t.producer) : null;
  const freed = life === NONE ? 'never freed' : `freed ${run.label(t.death)}`;
  const named = t.cls === 0 || t.producer < 0 ? t.name : run.loc(t.producer) || t.name;
  const text = [h('i', { class: `key ${CLASSES[t.cls]}`, title: CLASSES[t.cls] }), h('span', { class: 'mono' }, clip(y.shape, 40), ' ', y.storage || y.dtype, named ? h('span', { class: 'dim' }, ` ${clip(named, 60)}`) : null),
    h('span', { class: 'num' }, mb((lives.size[index] / 1048576) * (state.unit === 'total' ? run.banks(state.pool) : 1))),
    h('span', { class: 'dim sub', title: clip(`${y.layout}${y.grid ? ` on ${y.grid}` : ''} · logical ${bytes(y.logical)}, padded ${bytes(y.physical)}`, 300) }, clip(`${made}${ir ? ` · ${ir.stage.toUpperCase()}:${ir.line}` : ''} ${padding} · ${freed} · ${y.layout}`, 160))];
  const target = t.producer;
  return target >= 0 ? h('button', { type: 'button', class: 'live', 'data-step': String(target), onclick: () => state.select(target, 'alive') }, text) : h('div', { class: 'live' }, text);
}
