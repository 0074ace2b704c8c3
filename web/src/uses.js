// SPDX-License-Identifier: Apache-2.0
// Who uses a tensor. An op uses it when one of its operands has the tensor's name in the same run of the program, or the name of a
// view of it: the result of an op that made no tensor of its own. Weights are found by their entry in the registry.
import { CLASSES, FLAG, NONE } from './run.js';

/** The tensors that each step made, as lists in two columns: the first of a step, the next of the same step; -1 ends. Made once. */
function made(run) {
  if (run.madeBy) return run.madeBy;
  const { ten } = run, first = new Int32Array(run.count).fill(-1), next = new Int32Array(ten.count).fill(-1);
  for (let i = ten.count - 1; i >= 0; i--) {
    const back = ten.back ? ten.back[i] : 0, at = ten.birth[i] - back;
    if (back < 0 || at < 0 || at >= run.count) continue;
    next[i] = first[at];
    first[at] = i;
  }
  return (run.madeBy = { first, next });
}

/** The tensor that an op made as a result of that name (a number of `str`); -1 for a view, or what is not on the device. */
function madeBy(run, step, name) {
  const { first, next } = made(run);
  for (let i = first[step]; i >= 0; i = next[i]) if ((run.ten.name?.[i] ?? 0) === name) return i;
  return -1;
}
export function resultTensor(run, step, name) {
  const { first, next } = made(run);
  for (let i = first[step]; i >= 0; i = next[i]) if (run.str.get(run.ten.name?.[i]) === name) return i;
  return -1;
}

/**
 * {steps, last, free, kept}: the ops that use tensor i, in order; the last of them (-1: none); the step after which it is gone
 * (-1: never); `kept`: it outlives the program that made it, so what is done with it is not in the log.
 */
export function usesOf(run, i) {
  const { ten, tpl } = run;
  const t = run.tensor(i), rank = ten.rank ? ten.rank[i] : 0;
  const end = t.death < 0 ? run.count - 1 : Math.min(run.count - 1, t.death);
  const own = t.producer >= 0 ? outermost(run, run.program(t.producer)) : -1;
  // The result of a const-eval stays for the later runs of its program, which give it the same name.
  const mine = CLASSES[t.cls] === 'const-eval' && own >= 0 ? p => p >= 0 && run.programs.name[p] === run.programs.name[own] : p => own < 0 || p === own;
  const names = new Set([ten.name?.[i] ?? 0]);
  const entries = new Set(t.producer < 0 ? run.registry.flatMap((e, n) => (e.name && e.name === t.name ? [n] : [])) : []);
  const steps = [];
  // Most steps repeat a template: each is looked at once, until a view adds a name.
  let uses = new Map();
  for (let s = Math.max(0, t.producer >= 0 ? t.producer + 1 : t.birth); s <= end; s++) {
    const template = run.templateOf(s);
    if (template < 0 || run.flags[s] & FLAG.FREE || run.rankOf(s) !== rank || !mine(run.program(s))) continue;
    if (!uses.has(template)) uses.set(template, entries.size ? owns(tpl, template, entries) : takes(tpl, template, names));
    if (!uses.get(template)) continue;
    steps.push(s);
    if (entries.size || run.name(s).endsWith('load_cached')) continue;
    for (let o = tpl.tpl_out[template]; o < tpl.tpl_out[template + 1]; o++) {
      if (names.has(tpl.out_name[o]) || tpl.out_type[o] === NONE || madeBy(run, s, tpl.out_name[o]) >= 0) continue;
      names.add(tpl.out_name[o]);
      uses = new Map();
    }
  }
  const last = steps.length ? steps[steps.length - 1] : -1;
  const over = own >= 0 ? run.programs.last_step[own] : run.count;
  return { steps, last, free: t.death, kept: t.producer < 0 || t.death < 0 || t.death > over };
}

/** The run of a program that a nested one, of a const-eval, belongs to. */
function outermost(run, p) {
  const { depth, first_step: first } = run.programs;
  let at = p;
  while (at >= 0 && run.programs.kind[p] === 1 && depth[at] >= depth[p] && first[at] <= first[p]) at--;
  return at;
}

function takes(tpl, template, names) {
  for (let n = tpl.tpl_in[template]; n < tpl.tpl_in[template + 1]; n++) if (names.has(tpl.in_name[n])) return true;
  return false;
}
function owns(tpl, template, entries) {
  for (let n = tpl.tpl_weight[template]; n < tpl.tpl_weight[template + 1]; n++) if (entries.has(tpl.weight[n])) return true;
  return false;
}

/** The steps of each template, as lists in two columns: those of template t stand from start[t] on, up to start[t + 1]. Made once. */
function stepsByTemplate(run) {
  if (run.byTemplate) return run.byTemplate;
  const n = run.tpl.tpl_name?.length ?? 0, start = new Uint32Array(n + 2), at = s => run.templateOf(s);
  for (let s = 0; s < run.count; s++) if (at(s) >= 0) start[at(s) + 2]++;
  for (let t = 2; t < start.length; t++) start[t] += start[t - 1];
  const steps = new Uint32Array(start[n + 1]);
  for (let s = 0; s < run.count; s++) if (at(s) >= 0) steps[start[at(s) + 1]++] = s;
  return (run.byTemplate = { start, steps });
}

/** Is the copy j as long alive as tensor i, and used last by the same op? Passes repeat the ops of a program, so most are. */
function isAlike(run, i, j, last) {
  const a = run.tensor(i), b = run.tensor(j), shift = b.producer - a.producer, own = s => run.program(s) === run.program(b.producer);
  return b.death >= 0 && b.death - a.death === shift && run.templateOf(last + shift) === run.templateOf(last) && own(last + shift) && own(b.death);
}

/**
 * [{tensor, last, free}]: tensor i and what its op made in the other passes, which a change of the model frees as early. What
 * outlives its program is not among them.
 */
export function copiesOf(run, i, uses) {
  const t = run.tensor(i), rank = run.ten.rank ? run.ten.rank[i] : 0;
  const doneWith = (u, producer) => (u.last >= 0 ? u.last : producer);
  const own = { tensor: i, last: doneWith(uses, t.producer), free: uses.free };
  const template = t.producer >= 0 ? run.templateOf(t.producer) : -1;
  if (template < 0) return [own];
  const { start, steps } = stepsByTemplate(run), { first, next } = made(run), copies = [];
  for (let n = start[template]; n < start[template + 1]; n++) {
    if (run.rankOf(steps[n]) !== rank) continue;
    for (let j = first[steps[n]]; j >= 0; j = next[j]) {
      if (run.ten.type[j] !== run.ten.type[i] || (run.ten.name?.[j] ?? 0) !== (run.ten.name?.[i] ?? 0)) continue;
      if (j === i) copies.push(own);
      else if (isAlike(run, i, j, own.last)) copies.push({ tensor: j, last: own.last + steps[n] - t.producer, free: run.tensor(j).death });
      else {
        const u = usesOf(run, j);
        if (!u.kept) copies.push({ tensor: j, last: doneWith(u, steps[n]), free: u.free });
      }
    }
  }
  return copies;
}

/** The peak of the pool, thousandths per bank, were these freed after their last use: the level is lower until they are freed today. */
export function peakWithout(view, k, list) {
  const s = view.pool(k), { run } = view, less = new Float64Array(view.bounds + 2);
  for (const { tensor, last, free } of list) {
    const from = view.boundaryAfter(last), to = Math.min(view.bounds, view.upTo(free)), size = run.type(run.ten.type[tensor]).bank / 1048.576;
    if (from < 0 || to <= from || !(size > 0)) continue;
    less[from] += size;
    less[to] -= size;
  }
  let peak = 0;
  for (let c = 0, now = 0; c < view.bounds; c++) {
    now += less[c];
    peak = Math.max(peak, s.alloc[c] - now);
  }
  return peak;
}
