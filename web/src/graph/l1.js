// SPDX-License-Identifier: Apache-2.0
// One core's L1 for the call under the pointer, else for the one that is chosen: the call itself, the nearest call around it, or the tightest inside it.
import { h } from '../dom.js';
import { clip } from '../format.js';
import { l1Map, l1Ops } from '../ui/l1.js';

/** null for a capture without addresses in L1. */
export function l1Parts(capture, state) {
  const { l1 } = capture.data, ops = l1Ops(l1).filter(o => o.step >= 0 || o.line > 0);
  if (!ops.length) return null;
  // An op is known by the node at which its call begins.
  const byNode = new Map(capture.calls.map(c => [c.begin, c]));
  const callOf = op => byNode.get(op.step);
  let picked = null;
  const inside = (op, call) => op.step >= call.begin && op.step <= call.end;
  const around = (op, call) => callOf(op) && callOf(op).begin <= call.begin && callOf(op).end >= call.end;
  const now = () => {
    const hovers = state.hover !== null, call = capture.calls[hovers ? state.hover : state.selected];
    if (hovers && !call) return null;
    if (!hovers && (picked || !call)) return picked ?? ops[0];
    return ops.find(o => o.step === call.begin) ?? ops.filter(o => around(o, call)).sort((a, b) => b.step - a.step)[0] ?? ops.find(o => inside(o, call)) ?? null;
  };
  const { draw, parts } = l1Map({
    l1, ops, now,
    nameOf: op => {
      const call = callOf(op), name = call ? capture.nameOf(call) : op.name || 'a call that is not drawn';
      return call ? h('button', { type: 'button', class: 'link mono', onclick: () => state.select(call.i, 'table') }, clip(name, 60)) : clip(name, 60);
    },
    pick: (o, again) => (callOf(o) ? state.select(callOf(o).i, 'table') : ((picked = o), again())),
  });
  state.on('selected', () => { picked = null; draw(); });
  state.on('hover', draw);
  draw();
  return parts;
}
