// SPDX-License-Identifier: Apache-2.0
// A small simulated device: types with tile padding, lifetimes, memory blocks. Enough to make runs that look like real
// ones without a log; the figures follow from the graph, so every view of the page has something true to show.
import { column, element, packSection, Strings } from './encode.mjs';

const NONE = 0xffffffff;
export const FLAG = { RECORD: 1, WEIGHT: 2, CACHE_MISS: 4, FREE: 8, SUBMIT: 16, BARE: 32, TRUNCATED: 64 };
export const CLASS = { WEIGHT: 0, ACTIVATION: 1, CONST_EVAL: 2, INPUT: 3 };
const DTYPE_BYTES = { f32: 4, bf16: 2, bfp_bf8: 1.0625, si32: 4, ui16: 2 };

export function rng(seed) {
  let s = seed >>> 0 || 1;
  return () => {
    s = (s + 0x6d2b79f5) >>> 0;
    let t = Math.imul(s ^ (s >>> 15), 1 | s);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export class Simulation {
  constructor({ name, chip = 'Blackhole', banks = [7, 110, 110, 7], totals = [4080000, 1340, 62, 0], seed = 1, base = 9412 }) {
    Object.assign(this, { name, chip, banks, totals, base });
    this.random = rng(seed);
    this.str = new Strings();
    this.text = new Strings();
    this.types = [];
    this.typeIds = new Map();
    this.templates = [];
    this.templateIds = new Map();
    this.steps = { flags: [], program: [], rank: [], template: [], line: [], after: [], graph: [] };
    this.blocks = { step: [], alloc: [[], [], [], []], slack: [[], [], [], []], gap: [[], [], [], []] };
    this.tensors = [];
    this.live = new Map();
    this.programs = [];
    this.programStack = [];
    this.used = [[0, 0, 0, 0]];
    this.holes = [0];
    this.line = 40;
    this.registry = [];
    this.modules = [];
    this.locations = [];
    this.failures = [];
    this.rank = 0;
    this.peak = [];
    this.lastBlock = [];
  }

  type(shape, dtype, { pool = 0, tiled = true, storage = '', layout = '', grid = '' } = {}) {
    const key = `${shape}|${dtype}|${pool}|${tiled}|${storage}|${layout}|${grid}`;
    let id = this.typeIds.get(key);
    if (id !== undefined) return id;
    const dims = shape.map(Number);
    const padded = dims.slice();
    const unit = DTYPE_BYTES[storage || dtype];
    const logical = dims.reduce((a, b) => a * b, 1) * DTYPE_BYTES[dtype];
    let physical, bank;
    if (tiled) {
      while (padded.length < 2) padded.unshift(1);
      for (const k of [padded.length - 1, padded.length - 2]) padded[k] = Math.ceil(padded[k] / 32) * 32;
      const tiles = padded.reduce((a, b) => a * b, 1) / 1024;
      physical = tiles * 1024 * unit;
      bank = Math.ceil(tiles / this.banks[pool]) * 1024 * unit;
    } else {
      const row = Math.ceil((dims[dims.length - 1] * unit) / 64) * 64;
      const rows = dims.slice(0, -1).reduce((a, b) => a * b, 1);
      physical = row * rows;
      bank = Math.ceil(rows / this.banks[pool]) * row;
    }
    const lost = physical - logical;
    const better = tiled && lost > logical * 0.5 ? Math.ceil((dims[dims.length - 1] * unit) / 64) * 64 * dims.slice(0, -1).reduce((a, b) => a * b, 1) : 0;
    const useful = better > 0 && better < physical;
    id = this.types.length;
    const where = ['dram', 'l1', 'l1_small', 'trace'][pool];
    this.types.push({
      shape: shape.join('x'), dtype, storage: storage && storage !== dtype ? storage : '',
      layout: `${tiled ? 'tile 32x32' : 'row major'}, ${layout || 'interleaved'}`, grid,
      padded: tiled && padded.join('x') !== shape.join('x') ? padded.join('x') : '',
      pool, logical, physical, bank, better: useful ? better : 0,
      advice: useful ? `row major ${shape.join('x')}: a row of ${dims[dims.length - 1] * unit} B fills its pages` : '',
      text: `tensor<${shape.join('x')}x${dtype}, #ttnn.ttnn_layout<(d0, d1, d2, d3) -> (d0 * ${padded[1] ?? 1} + d1 * ${padded[2] ?? 1} + d2, d3), <1x1>, memref<${padded.slice(-2).map(v => (tiled ? v / 32 : v)).join('x')}x${tiled ? `!ttcore.tile<32x32, ${storage || dtype}>` : dtype}, #ttnn.buffer_type<${where}>>, <${layout || 'interleaved'}>>>`,
    });
    this.typeIds.set(key, id);
    return id;
  }

  template({ name, loc = '', locFull = '', attrs = '', ins = [], outs = [], weights = [] }) {
    const key = JSON.stringify([name, loc, locFull, attrs, ins, outs, weights]);
    let id = this.templateIds.get(key);
    if (id === undefined) {
      id = this.templates.length;
      this.templates.push({ name: this.str.id(name), loc: this.str.id(loc), locFull: this.text.id(locFull), attrs: this.text.id(attrs), ins, outs, weights });
      this.templateIds.set(key, id);
    }
    return id;
  }

  begin(name, kind = 0) {
    const p = { name, kind, depth: this.programStack.length, rank: this.rank, first: this.steps.flags.length, last: -1, ttir: -1, ttnn: -1 };
    this.programs.push(p);
    this.programStack.push(this.programs.length - 1);
    this.line += 2;
    return p;
  }
  end() {
    const p = this.programs[this.programStack.pop()];
    p.last = this.steps.flags.length - 1;
    this.line += 2;
  }

  block(step) {
    const r = this.rank;
    const u = (this.used[r] ??= [0, 0, 0, 0]);
    const b = this.blocks.step.length;
    if (this.lastBlock[r] !== undefined) {
      for (let s = this.lastBlock[r].step; s < step; s++)
        if (this.steps.rank[s] === r && this.steps.after[s] === -1) this.steps.after[s] = b;
    }
    this.lastBlock[r] = { step, block: b };
    this.blocks.step.push(step);
    for (let k = 0; k < 4; k++) {
      const total = this.totals[k];
      const alloc = Math.min(total, Math.round((k === 0 ? this.base : 0) + u[k] / 1048.576));
      const free = total - alloc;
      const hole = k === 0 ? Math.min(free * 0.96, (this.holes[r] ?? 0)) : k === 1 ? Math.min(free * 0.5, u[1] / 9000) : 0;
      this.blocks.alloc[k].push(alloc);
      this.blocks.slack[k].push(0);
      this.blocks.gap[k].push(Math.floor(hole));
      const peak = this.peak[k];
      if (!peak || alloc > peak.allocated) this.peak[k] = { allocated: alloc, capacity: total, before_step: step, rank: r };
    }
    this.line += 5;
  }

  /** Executes one op: `make` tensors come to life after it, `free` ones are gone after it. */
  step(template, flags, { make = [], free = [], graph = -1, block = true } = {}) {
    const s = this.steps;
    const i = s.flags.length;
    s.flags.push(flags);
    s.program.push(this.programStack.length ? this.programStack[this.programStack.length - 1] : NONE);
    s.rank.push(this.rank);
    s.template.push(template);
    s.line.push(++this.line);
    s.after.push(-1);
    s.graph.push(graph);
    if (block) this.block(i);
    for (const t of free) this.release(t, i);
    return make.map(m => this.tensor({ ...m, birth: i, back: 0 }));
  }

  tensor({ type, cls = CLASS.ACTIVATION, name = '', birth = -1, back = -1 }) {
    const t = { birth, death: NONE, type, cls, back, name: this.str.id(name), rank: this.rank, ssa: name };
    const ty = this.types[type];
    if (ty.pool < 4) {
      this.used[this.rank] ??= [0, 0, 0, 0];
      this.used[this.rank][ty.pool] += ty.bank;
    }
    this.tensors.push(t);
    return t;
  }
  release(t, step) {
    if (t.death !== NONE) return;
    t.death = step;
    const ty = this.types[t.type];
    this.used[this.rank][ty.pool] -= ty.bank;
    if (ty.pool === 0) {
      const now = this.holes[this.rank] ?? 0;
      this.holes[this.rank] = now * 0.93 + (ty.bank / 1048.576) * (0.2 + 0.5 * this.random());
    }
  }

  module(stage, name, program, text) {
    const id = this.modules.length;
    this.modules.push({ stage, name, program, text });
    return id;
  }

  /** Sections in the order of DATA.md: [first, rest]. */
  sections(extra = {}) {
    const { steps, blocks } = this;
    this.tensors.sort((a, b) => a.birth - b.birth);
    const names = [...new Set(this.programs.map(p => p.name))];
    const nameId = new Map(names.map((n, i) => [n, i]));
    const record = new Int32Array(steps.flags.length + 1);
    for (let i = 0; i < steps.flags.length; i++) record[i + 1] = record[i] + (steps.flags[i] & FLAG.RECORD);
    const recordBefore = s => (s < 0 ? null : record[s + 1] - 1);
    const recordAt = s => (record[s] < record[steps.flags.length] ? record[s] : null);
    const pools = ['DRAM', 'L1', 'L1_SMALL', 'TRACE'];
    const peaks = {};
    this.peak.forEach((p, k) => {
      let reached = p.before_step - 1;
      while (reached >= 0 && (steps.rank[reached] !== p.rank || !(steps.flags[reached] & FLAG.RECORD))) reached--;
      peaks[pools[k]] = { ...p, step: reached, op_index: recordBefore(reached), before_op_index: recordAt(p.before_step), line: steps.line[p.before_step] };
    });
    const col = f => this.programs.map(f);
    const count = bit => steps.flags.reduce((n, f) => n + (f & bit ? 1 : 0), 0);
    const weights = this.registry.filter(e => e[3] === 'parameter' || e[3] === 'constant');
    const meta = {
      format: 1, name: this.name, generator: 'ttmem 1.0.0', created: '2026-03-16', chip: this.chip,
      source: { path: `${this.name.replace(/-/g, '_')}_profile.log`, bytes: this.line * 190, lines: this.line },
      steps: steps.flags.length, records: record[steps.flags.length], blocks: blocks.step.length, tensors: this.tensors.length,
      ops: count(FLAG.RECORD), weight_ops: count(FLAG.WEIGHT),
      ranks: [...new Set(steps.rank)], pools, configs: [this.banks.map((b, k) => [b, this.totals[k]])],
      programs: { names, name: col(p => nameId.get(p.name)), kind: col(p => p.kind), depth: col(p => p.depth), rank: col(p => p.rank), first_step: col(p => p.first), last_step: col(p => p.last), ttir: col(p => p.ttir), ttnn: col(p => p.ttnn) },
      peaks, failures: this.failures,
      caveats: [
        { pools: [1], text: 'Lower bound: circular buffers and buffers inside an op are not in a runtime log.' },
        { pools: [0], text: 'State before each op: what an op allocates and frees while it runs is not in the log.' },
      ],
      missing: this.modules.length ? [] : [{ what: 'module dumps', setting: 'TTXLA_LOGGER_LEVEL=DEBUG' }],
      weights: { bytes: weights.reduce((a, e) => a + e[6], 0), count: weights.length },
      modules: this.modules.map((m, i) => ({ stage: m.stage, name: m.name, program: nameId.get(m.program) ?? 0, bytes: Buffer.byteLength(m.text), lines: m.text.split('\n').length, section: `ir${i}` })),
      ...extra,
    };
    const mem = [column('step_flags', 'u8', steps.flags), column('step_program', 'u32', steps.program)];
    if (meta.ranks.length > 1) mem.push(column('step_rank', 'u8', steps.rank));
    mem.push(column('block_step', 'u32', blocks.step));
    const pool = k => [['alloc', -1], ['slack', 0], ['gap', 0]].filter(([n, none]) => blocks[n][k].some(v => v !== none)).map(([n]) => column(`${n}_${k}`, 'i32', blocks[n][k]));
    const first = element('meta', JSON.stringify(meta)) + element('mem', packSection([...mem, ...pool(0)]));
    return [first, [1, 2, 3].map(k => element(`pool${k}`, packSection(pool(k)))).join('') + this.#rest()];
  }

  #rest() {
    const { steps, types, templates, str, text } = this;
    const lists = key => {
      const start = [0], flat = [];
      for (const t of templates) { flat.push(...t[key]); start.push(flat.length); }
      return { start, flat };
    };
    const ins = lists('ins'), outs = lists('outs'), weights = lists('weights');
    const named = (prefix, l) => [
      column(`${prefix}_name`, 'u32', l.flat.map(([n]) => str.id(n))), column(`${prefix}_type`, 'u32', l.flat.map(([, t]) => t ?? NONE))];
    const tcol = (name, f) => column(`type_${name}`, 'u32', types.map(f));
    const ten = this.tensors;
    const locs = this.locations.map(l => [l[0], str.id(l[1]), l[2]]);
    const tensors = packSection([
      column('ten_birth', 'i32', ten.map(t => t.birth)),
      column('ten_life', 'u32', ten.map(t => (t.death === NONE ? NONE : t.death - t.birth)), 'planes'),
      column('ten_type', 'u32', ten.map(t => t.type), 'planes'),
      column('ten_class', 'u8', ten.map(t => t.cls)),
      column('ten_back', 'i32', ten.map(t => t.back), 'planes'),
      column('ten_name', 'u32', ten.map(t => t.name)),
      column('ten_rank', 'u8', ten.map(t => t.rank)),
    ]);
    const typeText = types.map(t => text.id(t.text));
    const tpl = [
      column('tpl_name', 'u32', templates.map(t => t.name)), column('tpl_loc', 'u32', templates.map(t => t.loc)),
      column('tpl_loc_full', 'u32', templates.map(t => t.locFull)), column('tpl_attrs', 'u32', templates.map(t => t.attrs)),
      column('tpl_in', 'u32', ins.start), ...named('in', ins), column('tpl_out', 'u32', outs.start), ...named('out', outs),
      column('tpl_weight', 'u32', weights.start), column('weight', 'u32', weights.flat),
      tcol('shape', t => str.id(t.shape)), tcol('dtype', t => str.id(t.dtype)), tcol('storage', t => str.id(t.storage)),
      tcol('layout', t => str.id(t.layout)), tcol('grid', t => str.id(t.grid)), tcol('padded', t => str.id(t.padded)),
      column('type_pool', 'u8', types.map(t => t.pool)), column('type_logical', 'f64', types.map(t => t.logical)),
      column('type_physical', 'f64', types.map(t => t.physical)), column('type_bank', 'f64', types.map(t => t.bank)),
      tcol('advice', t => str.id(t.advice)), column('type_better', 'f64', types.map(t => t.better)),
      column('type_text', 'u32', typeText),
    ];
    return [
      element('ops', packSection([column('step_template', 'u32', steps.template), column('step_line', 'u32', steps.line),
        column('step_after', 'i32', steps.after), column('step_graph', 'i32', steps.graph)])),
      element('templates', packSection([...tpl, ...str.columns('str')])),
      element('tensors', tensors),
      element('registry', JSON.stringify({ entries: this.registry })),
      element('locations', packSection(['loc_module', 'loc_name', 'loc_line'].map((n, k) => column(n, 'u32', locs.map(l => l[k]))))),
      element('text', packSection(text.columns('text'))),
      ...this.modules.map((m, i) => element(`ir${i}`, m.text)),
    ].join('');
  }
}
