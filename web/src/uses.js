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

/**
 * The peak of a pool, thousandths per bank, were tensor i freed right after its last use; null when that is not known: it is used
 * after its program, or the pool was not measured. The level is lower by its size from then until it is freed today.
 */
export function peakIfFreed(view, k, i, uses) {
  const s = view.pool(k), { run } = view;
  if (uses.kept || uses.last < 0 || !s.seen) return null;
  const size = run.type(run.ten.type[i]).bank / 1048.576;
  const from = view.boundaryAfter(uses.last), to = view.upTo(uses.free);
  if (!(size > 0) || from < 0) return null;
  let peak = 0;
  for (let c = 0; c < view.bounds; c++) peak = Math.max(peak, c >= from && c < to ? s.alloc[c] - size : s.alloc[c]);
  return { now: s.max, then: peak, steps: Math.max(0, to - from) };
}
