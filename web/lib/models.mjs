// SPDX-License-Identifier: Apache-2.0
// Two model shapes to simulate: a convolutional image decoder whose peak comes from tile padding, and a transformer that
// repeats its layers, so that runs of any length can be made.
import { CLASS, FLAG, Simulation } from './simulate.mjs';

const REC = FLAG.RECORD;

/** Builds module text beside the ops of a program; remembers the line of every location. */
class ModuleText {
  constructor(stage, name) {
    this.stage = stage;
    this.lines = [`#dram = #ttnn.buffer_type<dram>`, `#l1 = #ttnn.buffer_type<l1>`, `module @${name} attributes {ttcore.meshes = #ttcore.meshes<[<"mesh" = 1x1>]>} {`, `  func.func @main(%arg0: tensor<1x4x64x64xf32>) -> tensor<1x3x512x512xf32> {`];
    this.locs = [];
  }
  op(text, loc) {
    this.lines.push(`    ${text} loc(#loc${this.locs.length + 1})`);
    this.locs.push([loc, this.lines.length]);
  }
  finish() {
    this.lines.push('    return loc(#loc)', '  } loc(#loc)', '} loc(#loc)');
    this.locs.forEach(([loc], i) => this.lines.push(`#loc${i + 1} = loc("${loc}")`));
    return this.lines.join('\n');
  }
}

class Builder {
  constructor(sim, { distinct = false } = {}) {
    this.sim = sim;
    this.distinct = distinct;
    this.serial = 0;
    this.ssa = 0;
    this.ttnn = null;
    this.ttir = null;
    this.writeIr = true;
  }
  startPass() {
    this.ssa = 0;
    this.serial = 0;
  }
  loc(kind) {
    return this.distinct ? `${kind}.${this.sim.steps.flags.length}_x` : `${kind}.${++this.serial}`;
  }
  /** An op with tensors `ins` (objects from the simulation) and one result. */
  op(name, ins, type, { attrs = '', kind = 'op', weights = [], cls, free = [], graph = -1, path = 'model', flags = 0 } = {}) {
    const { sim } = this;
    const loc = this.loc(kind) + '_' + name.split('.').pop();
    const out = `%${++this.ssa}`;
    const locFull = `"${loc}"("/root/${path}.py":${100 + (this.serial % 400)}:0)`;
    const template = sim.template({ name, loc, locFull, attrs, ins: ins.map(t => [t.ssa, t.type]), outs: [[out, type]], weights });
    if (this.writeIr && this.ttnn) {
      const t = sim.types[type];
      const args = ins.map(i => i.ssa).join(', ');
      this.ttnn.op(`${out} = "${name}"(${args}) <{${attrs}}> : (${ins.map(i => sim.types[i.type].text).join(', ')}) -> ${t.text}`, loc);
      this.ttir.op(`${out} = "${name.replace('ttnn', 'ttir')}"(${args}) : (${ins.map(i => `tensor<${sim.types[i.type].shape}x${sim.types[i.type].dtype}>`).join(', ')}) -> tensor<${t.shape}x${t.dtype}>`, loc);
    }
    const weightFlag = weights.length ? FLAG.WEIGHT : 0;
    const [made] = sim.step(template, REC | weightFlag | flags, { make: [{ type, cls, name: out }], graph });
    for (const t of free) this.free(t, loc);
    return made;
  }
  free(t, loc) {
    const template = this.sim.template({ name: 'ttnn.deallocate', loc, attrs: 'force = false', ins: [[t.ssa, t.type]] });
    this.sim.step(template, FLAG.FREE, { free: [t] });
  }
  parameter(name, shape, dtype) {
    const { sim } = this;
    const index = sim.registry.length;
    const type = sim.type(shape, dtype);
    const t = sim.tensor({ type, cls: CLASS.WEIGHT, name });
    t.ssa = `%arg${index}`;
    t.registry = index;
    sim.registry.push([index, t.ssa, name, 'parameter', shape.join('x'), dtype, sim.types[type].logical, 0, shape.join('x'), /cache/.test(name)]);
    return t;
  }
  input(name, shape, dtype) {
    const { sim } = this;
    const index = sim.registry.length;
    const type = sim.type(shape, dtype);
    const t = sim.tensor({ type, cls: CLASS.INPUT, name });
    t.ssa = `%arg${index}`;
    sim.registry.push([index, t.ssa, name, 'input', shape.join('x'), dtype, sim.types[type].logical, 0, null, false]);
    return t;
  }
  /** Runs a const-eval graph on its first use: a nested program whose result stays. */
  constEval(id, weight, shape, dtype) {
    const { sim } = this;
    const type = sim.type(shape, dtype);
    const out = `%${++this.ssa}`;
    const fn = `main_const_eval_${id}`;
    const template = sim.template({ name: 'ttcore.load_cached', loc: `@${fn}`, attrs: `callee = @${fn}`, ins: [[weight.ssa, weight.type]], outs: [[out, type]], weights: [weight.registry] });
    const at = sim.steps.flags.length;
    sim.step(template, REC | FLAG.CACHE_MISS | FLAG.WEIGHT, { graph: id });
    sim.begin(fn, 1);
    const body = sim.template({ name: 'ttnn.permute', loc: `${weight.ssa.slice(1)}_permute.${id}`, attrs: 'permutation = array<i64: 1, 0>', ins: [[weight.ssa, weight.type]], outs: [['%0', type]], weights: [weight.registry] });
    const [made] = sim.step(body, REC | FLAG.WEIGHT, { make: [{ type, cls: CLASS.CONST_EVAL, name: out }], graph: id });
    sim.end();
    made.ssa = out;
    made.registry = weight.registry;
    const first = sim.blocks.step.length;
    sim.steps.after[at] = first;
    return made;
  }
  modules(program) {
    const { sim } = this;
    const ids = {};
    for (const m of [this.ttir, this.ttnn]) {
      const id = sim.module(m.stage, 'SyncTensorsGraph.20', program, m.finish());
      ids[m.stage] = id;
      for (const [loc, line] of m.locs) sim.locations.push([id, loc, line]);
    }
    for (const p of sim.programs) if (p.name === program) Object.assign(p, ids);
  }
}

function begin(name, options) {
  const sim = new Simulation({ name, ...options });
  const b = new Builder(sim, options);
  b.ttnn = new ModuleText('ttnn', 'SyncTensorsGraph.20');
  b.ttir = new ModuleText('ttir', 'SyncTensorsGraph.20');
  return { sim, b };
}

/** An image decoder: group norms reshape to 1x32x4xN in f32, which tiles pad eightfold; the peak is there. */
export function decoder({ name = 'vae-decoder-1024', fail = false } = {}) {
  const { sim, b } = begin(name, { seed: 7, base: 9412 });
  const params = [];
  const channels = [512, 512, 256, 128];
  channels.forEach((c, level) => {
    for (let k = 0; k < 9; k++) {
      params.push(b.parameter(`decoder.up_blocks.${level}.resnets.${k % 3}.conv${(k % 2) + 1}.weight`, [c, 9 * c], 'f32'));
      params.push(b.parameter(`decoder.up_blocks.${level}.resnets.${k % 3}.norm${(k % 2) + 1}.weight`, [c], 'f32'));
    }
  });
  const latent = b.input('args_0', [1, 4, 128, 128], 'f32');
  sim.begin('main');
  const prepared = params.map((p, i) => (i % 2 ? null : b.constEval(i / 2, p, [1, 1, +sim.types[p.type].shape.split('x')[1], +sim.types[p.type].shape.split('x')[0]], 'f32')));
  let x = b.op('ttnn.to_layout', [latent], sim.type([1, 1, 16384, 4], 'f32'), { kind: 'transpose' });
  let n = 0;
  for (let level = 0; level < 4; level++) {
    const c = channels[level], side = 128 << level, hw = side * side;
    const flat = sim.type([1, 1, hw, c], 'f32');
    const grouped = sim.type([1, 32, c / 32, hw], 'f32');
    const stat = sim.type([1, 32, 1, 1], 'f32');
    for (let k = 0; k < 9; k++, n++) {
      const w = params[n * 2 + 1], conv = prepared[n * 2];
      const path = `diffusers/models/autoencoders/vae`;
      const o = { path };
      const g = b.op('ttnn.reshape', [x], grouped, { ...o, kind: 'reshape', attrs: `shape = [1 : i32, 32 : i32, ${c / 32} : i32, ${hw} : i32]` });
      const mean = b.op('ttnn.mean', [g], stat, { ...o, kind: 'reduce', attrs: 'dim_arg = [2 : i32, 3 : i32], keep_dim = true' });
      const centred = b.op('ttnn.subtract', [g, mean], grouped, { ...o, kind: 'subtract' });
      const square = b.op('ttnn.multiply', [centred, centred], grouped, { ...o, kind: 'multiply', free: level === 3 && k === 4 ? [] : [g] });
      const varr = b.op('ttnn.mean', [square], stat, { ...o, kind: 'reduce', attrs: 'dim_arg = [2 : i32, 3 : i32], keep_dim = true', free: level === 3 && k === 4 ? [square, g] : [square] });
      const rs = b.op('ttnn.rsqrt', [varr], stat, { ...o, kind: 'rsqrt', free: [varr, mean] });
      const norm = b.op('ttnn.multiply', [centred, rs], grouped, { ...o, kind: 'multiply', free: [centred, rs] });
      const back = b.op('ttnn.reshape', [norm], flat, { ...o, kind: 'reshape', free: [norm] });
      const scaled = b.op('ttnn.multiply', [back, w], flat, { ...o, kind: 'multiply', weights: [w.registry], free: [back] });
      const act = b.op('ttnn.silu', [scaled], flat, { ...o, kind: 'logistic', free: [scaled] });
      const l1 = sim.type([1, 1, Math.min(hw, 4096), c], 'bf16', { pool: 1, layout: 'height_sharded', grid: '8x8' });
      const halo = b.op('ttnn.to_memory_config', [act], l1, { ...o, kind: 'halo' });
      const y = b.op('ttnn.conv2d', [act, conv], flat, { ...o, kind: 'convolution', attrs: `batch_size = 1 : i32, in_channels = ${c} : i32, out_channels = ${c} : i32, input_height = ${side} : i32, input_width = ${side} : i32, kernel_size = array<i32: 3, 3>, stride = array<i32: 1, 1>, padding = array<i32: 1, 1, 1, 1>, dilation = array<i32: 1, 1>, groups = 1 : i32`, weights: [conv.registry], free: [halo, act] });
      if (fail && level === 3 && k === 5) {
        fill(sim, b, x);
        return finishDecoder(sim, b, y);
      }
      const sum = b.op('ttnn.add', [x, y], flat, { ...o, kind: 'add', free: [y, x] });
      x = sum;
    }
    if (level < 3) x = b.op('ttnn.upsample', [x], sim.type([1, 1, hw * 4, channels[level + 1]], 'f32'), { kind: 'resize', attrs: 'scale_factor = 2 : si32, mode = "nearest"', free: [x] });
  }
  b.op('ttnn.to_layout', [x], sim.type([1, 3, 1024, 1024], 'f32', { tiled: false }), { kind: 'output', free: [x] });
  return finishDecoder(sim, b, null);
}

/** The last op asks for more than the largest block. */
function fill(sim, b, x) {
  const type = sim.type([1, 32, 4, 1048576], 'f32');
  const kept = [];
  for (let i = 0; i < 4; i++) kept.push(b.op('ttnn.multiply', [x], type, { kind: 'keep' }));
  for (const t of kept.filter((_, i) => i === 2)) b.free(t, 'keep');
  sim.holes[0] = sim.totals[0] - sim.base - sim.used[0][0] / 1048.576 - 402113;
  b.ttir.op(`%9999 = "ttir.mean"(${x.ssa}) : tensor<1x32x4x1048576xf32>`, 'reduce.3241_mean');
  b.ttnn.op(`%9999 = "ttnn.mean"(${x.ssa}) <{dim_arg = [2 : i32, 3 : i32], keep_dim = true}> : (${sim.types[x.type].text}) -> ${sim.types[type].text}`, 'reduce.3241_mean');
  const at = sim.template({ name: 'ttnn.mean', loc: 'reduce.3241_mean', ins: [[x.ssa, x.type]], outs: [['%9999', type]] });
  sim.step(at, FLAG.RECORD);
  const free = sim.totals[0] - sim.blocks.alloc[0].at(-1), largest = free - sim.blocks.gap[0].at(-1);
  sim.failures.push({
    kind: 'fragmented', title: 'Out of memory: fragmented', pool: 0, need: 585143, free, largest,
    verdict: `585.1 MB per bank wanted, ${(free / 1000).toFixed(1)} MB free, largest block ${(largest / 1000).toFixed(1)} MB.`,
    advice: ['Enough bytes are free, but no block is large enough: free the long-lived tensors below earlier, or allocate them first.',
      '1x32x4x1048576 f32 is padded to 1x32x32x1048576: row major or a merged last dimension needs an eighth of it.',
      'Run the reduction in bf16: it halves the block that has to fit.'],
    text: 'Out of Memory: Not enough space to allocate 4294967296 B DRAM buffer across 7 banks, where each bank needs to store 613566784 B, but bank size is 4278190080 B (allocated: 4000000000 B, free: 278190080 B, largest free block: 90000000 B)',
    step: sim.steps.flags.length - 1, rank: 0, line: sim.line,
  });
}

function finishDecoder(sim, b) {
  sim.end();
  b.modules('main');
  return sim;
}

/** A transformer: `layers` blocks per pass, passes until `ops` records. */
export function transformer({ name = 'llama-8b', ops = 20000, layers = 32, distinct = false, seed = 3, ranks = 1 } = {}) {
  const { sim, b } = begin(name, { seed, chip: 'Wormhole', banks: [12, 64, 64, 12], totals: [1022169, 1270, 62, 0], base: 3281, distinct });
  const hidden = 4096, ffn = 14336, seq = 128;
  const layerWeights = [];
  const sets = [];
  for (let r = 0; r < ranks; r++) {
    sim.rank = r;
    const mk = (n, s, t) => (r === 0 ? b.parameter(n, s, t) : Object.assign(sim.tensor({ type: sim.type(s, t), cls: CLASS.WEIGHT, name: n }), { ssa: '%arg', registry: 0 }));
    const embed = mk('model.embed_tokens.weight', [32000, 2048], 'bf16');
    const set = [];
    for (let l = 0; l < layers; l++)
      set.push({
        qkv: mk(`model.layers.${l}.self_attn.qkv_proj.weight`, [hidden / 4, 6144], 'bf16'), o: mk(`model.layers.${l}.self_attn.o_proj.weight`, [hidden / 4, hidden], 'bf16'),
        up: mk(`model.layers.${l}.mlp.up_proj.weight`, [hidden / 4, ffn], 'bf16'), down: mk(`model.layers.${l}.mlp.down_proj.weight`, [ffn / 4, hidden], 'bf16'),
        norm: mk(`model.layers.${l}.input_layernorm.weight`, [hidden], 'bf16'), cache: mk(`model.layers.${l}.kv_cache`, [1, 8, 2048, 128], 'bf16'),
      });
    sets.push({ embed, set });
    layerWeights.push(set);
  }
  const prepared = [];
  let pass = 0;
  const done = () => sim.steps.flags.length - sim.freeCount >= ops;
  sim.freeCount = 0;
  const plainFree = b.free.bind(b);
  b.free = (t, loc) => { sim.freeCount++; plainFree(t, loc); };
  while (!done()) {
    const program = pass % 24 === 0 ? 'prefill' : 'decode';
    const tokens = program === 'prefill' ? 2048 : 1;
    sim.rank = pass % ranks;
    b.startPass();
    b.writeIr = pass < 1;
    sim.step(sim.template({ name: 'before submit' }), FLAG.SUBMIT);
    sim.begin(program);
    const { embed, set } = sets[sim.rank];
    if (!prepared[sim.rank]) prepared[sim.rank] = set.map((w, l) => b.constEval(l, w.down, [ffn / 4, hidden], 'bf16'));
    const T = (s, o) => sim.type(s, 'bf16', o);
    const ids = sim.step(sim.template({ name: 'ttnn.from_device', loc: 'p0.1', outs: [['%ids', sim.type([1, tokens], 'si32')]] }), REC, { make: [{ type: sim.type([1, tokens], 'si32'), cls: CLASS.INPUT, name: '%ids' }] })[0];
    let x = b.op('ttnn.embedding', [ids, embed], T([1, tokens, hidden]), { kind: 'gather', weights: [embed.registry], free: [ids] });
    for (let l = 0; l < layers && !done(); l++) {
      const w = set[l], path = `transformers/models/llama/modeling_llama`;
      const o = { path };
      const h = b.op('ttnn.rms_norm', [x, w.norm], T([1, tokens, hidden]), { ...o, kind: 'rms', weights: [w.norm.registry], attrs: 'epsilon = 9.99999974E-6 : f32' });
      const qkv = b.op('ttnn.matmul', [h, w.qkv], T([1, tokens, 6144]), { ...o, kind: 'dot', weights: [w.qkv.registry], attrs: 'transpose_a = false, transpose_b = false', free: [h] });
      const q = b.op('ttnn.slice_static', [qkv], T([1, 32, tokens, 128]), { ...o, kind: 'slice', attrs: 'begins = [0 : i32, 0 : i32], ends = [1 : i32, 4096 : i32]' });
      const kv = b.op('ttnn.slice_static', [qkv], T([1, 8, tokens, 128]), { ...o, kind: 'slice', attrs: 'begins = [0 : i32, 4096 : i32]', free: [qkv] });
      const rot = b.op('ttnn.rotary_embedding', [q], T([1, 32, tokens, 128]), { ...o, kind: 'rope', free: [q] });
      b.op('ttnn.update_cache', [w.cache, kv], T([1, 8, 1, 128]), { ...o, kind: 'cache', weights: [w.cache.registry], free: [kv] }).ssa;
      sim.release(sim.tensors.at(-1), sim.steps.flags.length - 1);
      const score = b.op('ttnn.matmul', [rot, w.cache], T([1, 32, tokens, Math.min(2048, seq + pass * 8)]), { ...o, kind: 'dot', attrs: 'transpose_b = true', free: [rot] });
      const soft = b.op('ttnn.softmax', [score], sim.type([1, 32, tokens, 2048], 'bf16', { pool: program === 'decode' ? 1 : 0, layout: program === 'decode' ? 'width_sharded' : '', grid: program === 'decode' ? '8x8' : '' }), { ...o, kind: 'softmax', attrs: 'dimension = 3 : si32', free: [score] });
      const ctx = b.op('ttnn.matmul', [soft, w.cache], T([1, tokens, hidden]), { ...o, kind: 'dot', free: [soft] });
      const proj = b.op('ttnn.matmul', [ctx, w.o], T([1, tokens, hidden]), { ...o, kind: 'dot', weights: [w.o.registry], free: [ctx] });
      const res = b.op('ttnn.add', [x, proj], T([1, tokens, hidden]), { ...o, kind: 'add', free: [x, proj] });
      const up = b.op('ttnn.matmul', [res, w.up], T([1, tokens, ffn]), { ...o, kind: 'dot', weights: [w.up.registry] });
      const act = b.op('ttnn.silu', [up], T([1, tokens, ffn]), { ...o, kind: 'logistic', free: [up] });
      const down = b.op('ttnn.matmul', [act, prepared[sim.rank][l]], T([1, tokens, hidden]), { ...o, kind: 'dot', weights: [w.down.registry], free: [act] });
      x = b.op('ttnn.add', [res, down], T([1, tokens, hidden]), { ...o, kind: 'add', free: [res, down] });
    }
    const logits = b.op('ttnn.matmul', [x, embed], T([1, 1, 32000]), { kind: 'dot', weights: [embed.registry], free: [x] });
    b.free(logits, 'logits');
    sim.end();
    sim.step(sim.template({ name: 'after submit' }), FLAG.SUBMIT);
    pass++;
  }
  b.modules('prefill');
  return sim;
}
