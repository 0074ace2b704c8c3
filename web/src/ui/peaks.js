// SPDX-License-Identifier: Apache-2.0
// Peak memory analysis, top consumers by level and by growth, fragmentation: the answers that come from the blocks.
import { fill, h } from '../dom.js';
import { clip, count, mb, percent, signed } from '../format.js';
import { placeText } from '../places.js';
import { FLAG } from '../run.js';
import { bar, boundNote, caveat, isBound } from './shell.js';
import { opLink, section, table } from './table.js';

const shapes = (run, step, side) => run.values(run.templateOf(step), side).map(v => run.type(v.type)).filter(Boolean).map(t => `${t.shape} ${t.storage || t.dtype}`);
const short = (list, n = 2) => (list.length > n ? `${list.slice(0, n).join(', ')} and ${list.length - n} more` : list.join(', ')) || '–';

export function peakSection(ctx) {
  const { run, state } = ctx;
  const body = h('div', { class: 'peak-cards' });
  const answer = h('p', { class: 'answer' });
  const box = section('peaks', 'Peak Memory Analysis', answer, body);
  let serial = 0;
  const draw = async () => {
    const mine = ++serial;
    fill(answer, answerText(ctx));
    const texts = await run.texts();
    if (mine === serial) fill(body, run.pools.map((pool, k) => card(ctx, pool, k, texts)).filter(Boolean));
  };
  state.on('unit scope', draw);
  draw();
  return box;
}

/** After what is allocated: of how much, where the size of the pool is known. */
function share(p, state, k) {
  return p.capacity > 0 ? ` of ${mb(p.capacity * state.scale(k))} ${state.unitText(k)}, ${percent(p.allocated, p.capacity)}` : ` ${state.unitText(k)}`;
}

function answerText(ctx) {
  const { run, state, view } = ctx;
  const p = ctx.peak(0), pool = run.pools[0];
  if (!p) {
    const at = run.ready ? view.fullest(0) : -1;
    return at < 0 ? `The log holds no memory blocks${run.pools.some((_, k) => ctx.peak(k)) ? ` for ${pool}` : ''}.`
      : ['The log holds no memory blocks: no peak was measured. The known ', `${pool} tensors are largest after `, opLink(run, state, view.stepAt(at - 1)), ': ', h('b', null, `${mb((view.padding(0).bank[at] / 1048.576) * state.scale(0))} ${state.unitText(0)}`), '.'];
  }
  return [`${pool} is highest `, ...where(run, state, p.step), ': ',
    h('b', null, `${p.at_least ? 'at least ' : ''}${mb(p.allocated * state.scale(0))}${share(p, state, 0)}`), p.at_least ? `: ${boundNote(p, run, 0)}.` : '.'];
}

/** "after #3 ttnn.relu", or "before the first op". */
function where(run, state, step) {
  return step < 0 ? [opLink(run, state, step)] : ['after ', opLink(run, state, step), run.name(step) && [' ', h('span', { class: 'mono' }, clip(run.name(step), 60))]];
}

function card(ctx, pool, k, texts) {
  const { run, state } = ctx;
  const p = ctx.peak(k);
  if (!p) return null;
  const s = state.scale(k);
  const none = !(p.allocated > 0);
  const block = run.blockOf[p.before_step] ?? -1;
  const t = run.templateOf(p.step);
  const note = p.at_least ? boundNote(p, run, k) : caveat(run, k);
  const rows = [];
  const row = (name, value) => value && rows.push(h('dt', null, name), h('dd', null, value));
  row('reached by', [opLink(run, state, p.step), ' ', h('span', { class: 'mono' }, clip(run.name(p.step), 80))]);
  if (p.step >= 0) {
    row('location', h('span', { class: 'mono', title: clip(run.loc(p.step), 400) }, clip(placeText(run.loc(p.step)) || '–', 120)));
    row('in', h('span', { class: 'mono' }, clip(short(shapes(run, p.step, 'in')), 120)));
    row('out', h('span', { class: 'mono' }, clip(short(shapes(run, p.step, 'out')), 120)));
  }
  const attrs = t >= 0 ? texts.get(run.tpl.tpl_attrs?.[t]) : '';
  row('attributes', attrs && h('span', { class: 'mono' }, clip(attrs, 160)));
  row('free', block >= 0 && (p.capacity > 0 || none) && `${mb(run.freeAt(block, k) * s)}, largest free block ${mb(run.largestAt(block, k) * s)}`);
  row('in the log', p.line ? `line ${count(p.line)}${run.ranks.length > 1 ? `, rank ${run.ranks[p.rank]}` : ''}` : null);
  if (none && !(p.capacity > 0)) return h('div', { class: 'peak', 'data-peak': pool }, h('h3', null, pool), h('p', { class: 'dim' }, 'no memory is set aside for it in this run'));
  return h('div', { class: 'peak', 'data-peak': pool },
    h('h3', null, pool, isBound(p, run, k) && h('sup', { class: 'mark', title: note }, '≥'), h('span', { class: 'figure' }, h('b', null, `${p.at_least ? 'at least ' : ''}${mb(p.allocated * s)}`), share(p, state, k))),
    h('span', { class: 'bar' }, bar(p.allocated, p.capacity)),
    none ? h('p', { class: 'dim' }, 'never used in this run') : h('dl', { class: 'facts-list' }, rows), note && h('p', { class: 'dim note' }, `${isBound(p, run, k) ? '≥ ' : ''}${note}`));
}

/** Is there an op whose memory was measured before and after it? */
function measured(run, view, k) {
  for (let pos = 0; pos < view.n; pos++) if (run.delta(view.stepAt(pos), k) !== null) return true;
  return false;
}

/**
 * The n kinds of op with the largest key, lower step first on ties: {s, v, times, sum}. An op that runs again, in another pass or
 * layer, is the same kind: equal name, operands and results. What only frees memory consumes none.
 */
function top(run, view, n, key) {
  const kinds = new Map(), kindOf = kindsOf(run);
  for (let pos = 0; pos < view.n; pos++) {
    const s = view.stepAt(pos);
    if (!run.isRecord(s) || run.flags[s] & FLAG.FREE) continue;
    const v = key(s);
    if (v === null || v <= 0) continue;
    const kind = kindOf(s), best = kinds.get(kind);
    if (!best) kinds.set(kind, { s, v, times: 1, sum: v });
    else {
      best.times++;
      best.sum += v;
      if (v > best.v) Object.assign(best, { s, v });
    }
  }
  return [...kinds.values()].sort((a, b) => b.v - a.v || a.s - b.s).slice(0, n);
}

/** step -> a number that ops of equal name, operands and results share. */
function kindsOf(run) {
  const { tpl } = run, byTemplate = new Map(), byText = new Map();
  return s => {
    const t = run.templateOf(s);
    if (t < 0) return -1 - s;
    if (!byTemplate.has(t)) {
      const types = side => Array.from(tpl[`${side}_type`].subarray(tpl[`tpl_${side}`][t], tpl[`tpl_${side}`][t + 1])).join(' ');
      const text = `${tpl.tpl_name[t]} ${types('in')} > ${types('out')}`;
      if (!byText.has(text)) byText.set(text, byText.size);
      byTemplate.set(t, byText.get(text));
    }
    return byTemplate.get(t);
  };
}

export function consumerSection(ctx) {
  const { run, state } = ctx;
  const answer = h('p', { class: 'answer' });
  const left = h('div'), right = h('div'), lists = h('div', { class: 'pair' });
  const box = section('consumers', 'Top Memory Consumers', answer, lists);
  lists.append(h('div', null, h('h3', null, 'Highest allocation after an op'), left), h('div', null, h('h3', null, 'Largest growth by an op'), right));
  const draw = () => {
    const k = state.pool, s = state.scale(k), { view } = ctx;
    lists.hidden = !view.pool(k).seen;
    if (lists.hidden) return fill(answer, `The log has no ${run.pools[k]} memory lines: what an op adds is not known.`);
    const pick = r => state.select(r.s, 'table');
    const head = [{ head: 'op', cell: r => opLink(run, state, r.s) }, { head: 'name', cls: 'mono op-name', cell: r => clip(run.name(r.s), 40) }, { head: 'location', cls: 'mono wide', cell: r => clip(placeText(run.loc(r.s)), 60), title: r => clip(run.loc(r.s), 400) }, { head: 'times', cls: 'minor', num: true, cell: r => count(r.times) }];
    const tail = [{ head: 'in', cls: 'mono wide', cell: r => clip(short(shapes(run, r.s, 'in'), 1), 60) }, { head: 'out', cls: 'mono wide', cell: r => clip(short(shapes(run, r.s, 'out'), 1), 60) }];
    const level = top(run, view, 10, x => run.allocAt(run.afterBlock(x), k));
    const growth = top(run, view, 10, x => run.growth(x, k));
    fill(left, table({ id: 'top-level', columns: [...head, { head: state.unitText(k), num: true, cell: r => mb(r.v * s) }, ...tail], rows: level, pick, empty: `No op has ${run.pools[k]} figures.` }));
    fill(right, table({ id: 'top-growth', columns: [...head, { head: 'change', num: true, cell: r => signed(r.v * s) }, { head: 'in all', cls: 'minor', num: true, cell: r => (r.times > 1 ? signed(r.sum * s) : '') }, ...tail], rows: growth, pick, empty: `No op grew ${run.pools[k]}.` }));
    fill(answer, growth[0] ? [opLink(run, state, growth[0].s), ' ', h('span', { class: 'mono' }, clip(run.name(growth[0].s), 40)), ' adds most to ', run.pools[k], ': ', h('b', null, `${signed(growth[0].v * s)} ${state.unitText(k)}`), '.'] : measured(run, view, k) ? `Nothing grows in ${run.pools[k]}.` : `No op has ${run.pools[k]} figures both before and after it.`);
  };
  state.on('pool unit scope', draw);
  draw();
  return box;
}

export function fragmentationSection(ctx) {
  const { run, state } = ctx;
  const body = h('div');
  const box = section('fragmentation', 'Fragmentation', body);
  const draw = () => {
    const { view } = ctx, k = state.pool, p = view.pool(k), s = state.scale(k);
    if (!p.seen || p.worst <= 0) return fill(body, h('p', { class: 'answer' }, p.seen ? `${run.pools[k]} is not fragmented: the largest free block is all that is free, all through the run.` : `No ${run.pools[k]} figures in this log.`));
    let low = -1;
    for (let c = 0; c < view.bounds; c++) if (p.largest[c] >= 0 && (low < 0 || p.largest[c] < p.largest[low])) low = c;
    const rows = [['widest gap', p.worstAt], ['smallest largest free', low], ['at the peak', p.maxAt]].map(([what, c]) => ({ what, c, s: view.stepAt(c - 1) }));
    fill(body, h('p', { class: 'answer' }, 'The gap is widest ', ...where(run, state, view.stepAt(p.worstAt - 1)), ': ', h('b', null, `${mb(p.free[p.worstAt] * s)} free, but no block larger than ${mb(p.largest[p.worstAt] * s)} ${state.unitText(k)}`), '. A request between the two fails although enough is free.'),
      table({ id: 'fragments', rows, pick: r => r.s >= 0 && state.select(r.s, 'table'), columns: [{ head: 'where', cell: r => r.what }, { head: 'after', cell: r => opLink(run, state, r.s) }, { head: 'name', cls: 'mono minor', cell: r => clip(run.name(r.s), 50) }, { head: 'location', cls: 'mono wide', cell: r => clip(placeText(run.loc(r.s)), 60), title: r => clip(run.loc(r.s), 400) },
        { head: 'free', num: true, cell: r => mb(p.free[r.c] * s) }, { head: 'largest free', num: true, cell: r => mb(p.largest[r.c] * s) }, { head: 'gap', num: true, cell: r => mb((p.free[r.c] - p.largest[r.c]) * s) }] }));
  };
  state.on('pool unit scope', draw);
  draw();
  return box;
}
