// SPDX-License-Identifier: Apache-2.0
// Runs at the edges: hostile text, memory blocks without ops, nothing at all, a single op.
import { CLASS, FLAG, Simulation } from './simulate.mjs';

export const HOSTILE = [
  '</script><script>window.pwned=1</script>',
  '<img src=x onerror="window.pwned=1">',
  `a|b "double" 'single' \`tick\` & &lt;amp; --> ]]> <!--`,
  'control \u0000 \u0007 \u001b[31m red \u009b \r\n\t tab',
  '\u202Eright to left\u202C \u2028 line \u2029 paragraph \ufeff bom',
  '=HYPERLINK("http://example.invalid","x")',
  'javascript:window.pwned=1',
  '\u{1F4A5} \uD7FF 漢字 e\u0301',
  '__proto__', 'constructor', '@@TTMEM_REST@@', '$& $1 $`',
];

export function hostile() {
  const sim = new Simulation({ name: '</title><script>window.pwned=1</script>', seed: 5 });
  const long = 'x</script>'.repeat(10240);
  const texts = [...HOSTILE, long];
  sim.begin('<b onmouseover=window.pwned=1>main</b>');
  const type = sim.type([1, 32, 512, 512], 'f32');
  const evil = sim.type([7, 1], 'f32');
  sim.types[evil].shape = '<i>7x1</i>';
  sim.types[evil].advice = '<script>window.pwned=1</script>';
  texts.forEach((text, i) => {
    sim.registry.push([i, `%arg${i}`, text, 'parameter', text.slice(0, 50), 'f32', 1000 * (i + 1), 0, null, false]);
    sim.tensor({ type: evil, cls: CLASS.WEIGHT, name: text });
  });
  for (let i = 0; i < 400; i++) {
    const text = texts[i % texts.length];
    const name = i % 5 === 0 ? text.slice(0, 200) : 'ttnn.add';
    const template = sim.template({ name, loc: text, locFull: `full ${text}`, attrs: text, ins: [[text, type]], outs: [[`%${i}`, type]], weights: i % 3 ? [] : [i % texts.length] });
    const [made] = sim.step(template, FLAG.RECORD | (i % 3 ? 0 : FLAG.WEIGHT), { make: [{ type: i % 2 ? evil : type, name: text }] });
    if (i % 4) sim.step(sim.template({ name: 'ttnn.deallocate', loc: text }), FLAG.FREE, { free: [made] });
  }
  sim.end();
  const ir = texts.map(t => `  "${t}" loc("${t}")`).join('\n');
  const id = sim.module('ttnn', '<u>module</u>', sim.programs[0].name, `module {\n${ir}\n}`);
  sim.programs[0].ttnn = id;
  sim.locations.push([id, HOSTILE[0], 2]);
  sim.failures.push({ kind: 'other', title: '<h1>title</h1>', verdict: HOSTILE[0], advice: [HOSTILE[1]], text: long, step: 10, rank: 0, line: 1, pool: null });
  return sim;
}

/** A log with memory blocks only: no op lines, no tensors, no modules. */
export function bare() {
  const sim = new Simulation({ name: 'memory-only', seed: 11, chip: 'Wormhole', banks: [12, 64, 64, 12], totals: [1022169, 1270, 62, 0] });
  const kinds = ['MatmulOp', 'EltwiseBinaryOp', 'ReshapeOp', 'SoftmaxOp'].map(name => sim.template({ name }));
  for (let i = 0; i < 300; i++) {
    sim.used[0][0] = (120 + 40 * Math.sin(i / 17) + (i % 9) * 6) * 1048576;
    sim.step(kinds[i % 4], FLAG.RECORD | FLAG.BARE);
  }
  sim.extra = { ops: 0, missing: [
    { what: 'op lines', setting: 'TTMLIR_RUNTIME_LOGGER_LEVEL=DEBUG' }, { what: 'module dumps', setting: 'TTXLA_LOGGER_LEVEL=DEBUG' }] };
  return sim;
}

export function empty() {
  const sim = new Simulation({ name: 'empty', chip: null });
  sim.extra = { configs: [], missing: [{ what: 'memory lines', setting: 'TT_RUNTIME_MEMORY_LOG_LEVEL=operation' }] };
  return sim;
}

export function single() {
  const sim = new Simulation({ name: 'one-op' });
  sim.begin('main');
  const type = sim.type([8, 1000], 'bf16');
  sim.step(sim.template({ name: 'ttnn.matmul', loc: 'dot.12', ins: [['%arg0', type]], outs: [['%0', type]] }), FLAG.RECORD, { make: [{ type, name: '%0' }] });
  sim.end();
  return sim;
}

/** Seven failures, of which the fifth ended the run. */
export function failures() {
  const sim = single();
  sim.name = 'failures';
  for (let i = 0; i < 7; i++) sim.failures.push({ kind: 'exhausted', title: `Out of DRAM memory ${i}`, verdict: '4.9 MB per bank wanted.', advice: ['use a smaller batch', i === 4 ? 'free the cache: this alone is enough' : 'wait'], text: 'Out of Memory', caught: i !== 4, outcome: 'ops came after it', step: 0, rank: 0, line: 10 + i, pool: 0 });
  return sim;
}

/** One op and a module of many MB. */
export function bigModule() {
  const sim = single();
  sim.name = 'big-module';
  const lines = Array.from({ length: 400000 }, (_, i) => `    %${i} = "ttnn.add"(%arg0, %${i ? i - 1 : 0}) : (tensor<8x1000xbf16>, tensor<8x1000xbf16>) -> tensor<8x1000xbf16> loc(#loc${i})`);
  lines[399990] += ' needle';
  const id = sim.module('ttnn', 'big', 'main', lines.join('\n'));
  sim.programs[0].ttnn = id;
  sim.locations.push([id, 'dot.12', 399001]);
  return sim;
}
