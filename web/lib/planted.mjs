// SPDX-License-Identifier: Apache-2.0
// A run with planted facts for tests: twelve layers of which one is odd, a tensor that is used through a view and freed late, a weight.
import { CLASS, FLAG, Simulation } from './simulate.mjs';

export const LAYERS = 12, ODD = 7;

export function planted() {
  const sim = new Simulation({ name: 'planted', chip: 'Wormhole', banks: [12, 64, 64, 12], totals: [1022169, 1270, 62, 0], base: 1000 });
  const location = (module, cls, line, op) => `0|Net[net]|${cls}[${module}]|/src/net.py:40|forward|${line}|${op}`;
  const usual = sim.type([1, 1, 1536, 1024], 'bf16'), wide = sim.type([1, 1, 4608, 1024], 'bf16'), big = sim.type([1, 1, 12288, 1024], 'bf16');
  const weightType = sim.type([1024, 1024], 'bf16');
  sim.registry.push([0, '%arg0', 'net.head.weight', 'parameter', '1024x1024', 'bf16', 2097152, 0, null, false]);
  const weight = sim.tensor({ type: weightType, cls: CLASS.WEIGHT, name: 'net.head.weight' });
  weight.ssa = '%arg0';
  sim.begin('main');
  const op = (name, loc, ins, out, { make = true, weights = [], free = [] } = {}) => {
    const at = sim.steps.flags.length;
    const template = sim.template({ name, loc, ins, outs: out ? [out] : [], weights });
    const made = sim.step(template, FLAG.RECORD | (weights.length ? FLAG.WEIGHT : 0), { make: out && make ? [{ type: out[1], name: out[0] }] : [] });
    for (const t of free) sim.step(sim.template({ name: 'ttnn.deallocate', loc, ins: [[t.ssa, t.type]] }), FLAG.FREE, { free: [t] });
    return { at, tensor: made[0] };
  };
  const truth = { layers: [] };
  const late = op('ttnn.matmul', location('net.stem', 'Linear', 41, 'aten__mm'), [['%arg0', weightType]], ['%big', big], { weights: [0] });
  const first = op('ttnn.relu', location('net.stem', 'ReLU', 42, 'aten__relu'), [['%big', big]], ['%s', usual]);
  const view = op('ttnn.reshape', location('net.stem', 'Linear', 43, 'aten__view'), [['%big', big]], ['%v', big], { make: false });
  const last = op('ttnn.add', location('net.stem', 'Linear', 44, 'aten__add'), [['%v', big]], ['%t', usual]);
  for (let i = 0; i < LAYERS; i++) truth.layers.push(op('ttnn.matmul', location(`net.layers[${i}].fc`, 'Linear', 60, 'aten__mm'), [['%t', usual]], [`%l${i}`, i === ODD ? wide : usual]).tensor);
  const end = op('ttnn.softmax', location('net.head', 'Softmax', 70, 'aten__softmax'), [['%t', usual]], ['%e', usual], { free: [late.tensor, ...truth.layers] });
  op('ttnn.exp', location('net.head', 'Softmax', 71, 'aten__exp'), [['%e', usual]], ['%x', usual]);
  sim.end();
  Object.assign(truth, { late: late.tensor, made: late.at, uses: [first.at, view.at, last.at], last: last.at, end: end.at, bank: type => sim.types[type].bank, usual, wide, big });
  sim.truth = truth;
  return sim;
}
