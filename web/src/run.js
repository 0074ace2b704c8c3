// SPDX-License-Identifier: Apache-2.0
// The run as the page sees it: typed columns and small accessors. Columns arrive in two waves; `ready` tells which.
import { readBeside } from './beside.js';
import { sectionBytes, sectionColumns, sectionJson } from './decode.js';
import { StringTable } from './strings.js';

export const FLAG = { RECORD: 1, WEIGHT: 2, CACHE_MISS: 4, FREE: 8, SUBMIT: 16, BARE: 32, TRUNCATED: 64, GROWTH_ELSEWHERE: 128 };
export const NONE = 0xffffffff;
export const CLASSES = ['weight', 'activation', 'const-eval', 'input', 'kv_cache', 'temporary', 'reshape_map', 'table', 'binary', 'circular_buffer'];
// The first four are in every legend, the others where the run has them.
export const USUAL_CLASSES = 4;
// What is in no tensor: of each class what it is, and whether its size is an estimate.
export const IN_NO_TENSOR = new Map([[6, ['maps of tiled reshapes', false]], [5, ['copies inside the op', false]], [7, ['tables of convolutions', true]], [8, ['kernel binaries', true]]]);

export class Run {
  /** Reads what the first graph needs. */
  static async open() {
    const run = new Run();
    run.meta = await sectionJson('meta');
    if (!run.meta) throw new Error('the page holds no data');
    if (run.meta.format !== 1) throw new Error(`data format ${run.meta.format} is not known to this page`);
    const m = await sectionColumns('mem');
    run.flags = m.step_flags ?? new Uint8Array(0);
    run.count = run.flags.length;
    run.stepProgram = m.step_program;
    run.stepRank = m.step_rank;
    run.blockStep = m.block_step ?? new Uint32Array(0);
    run.blockConfig = m.block_config;
    run.pools = run.meta.pools ?? [];
    run.configs = run.meta.configs ?? [];
    run.alloc = [];
    run.slack = [];
    run.gap = [];
    run.#pool(0, m);
    run.programs = run.meta.programs ?? { names: [], name: [], kind: [], depth: [], rank: [], first_step: [], last_step: [], ttir: [], ttnn: [] };
    run.ranks = run.meta.ranks?.length ? run.meta.ranks : [0];
    run.failures = run.meta.failures ?? [];
    run.modules = run.meta.modules ?? [];
    run.#index();
    run.ready = false;
    return run;
  }

  #pool(k, columns) {
    this.alloc[k] = columns[`alloc_${k}`];
    this.slack[k] = columns[`slack_${k}`];
    this.gap[k] = columns[`gap_${k}`];
  }

  #index() {
    const { count: n, flags, blockStep } = this;
    const blockOf = new Int32Array(n).fill(-1), recordOf = new Int32Array(n + 1), records = new Uint32Array(n);
    for (let b = 0; b < blockStep.length; b++) blockOf[blockStep[b]] = b;
    let r = 0;
    for (let i = 0; i < n; i++) {
      recordOf[i] = r;
      records[r] = i; // kept where it is a record
      r += flags[i] & FLAG.RECORD;
    }
    recordOf[n] = r;
    this.blockOf = blockOf;
    this.recordOf = recordOf;
    this.records = records.slice(0, r);
  }

  /** Reads the rest: templates, tensors, registry, locations. */
  async finish() {
    await Promise.all(this.pools.slice(1).map(async (_, i) => this.#pool(i + 1, await sectionColumns(`pool${i + 1}`))));
    const [o, t, n, registry, l, b] = await Promise.all([
      sectionColumns('ops'), sectionColumns('templates'), sectionColumns('tensors'), sectionJson('registry'), sectionColumns('locations'), sectionColumns('beside')]);
    this.beside = readBeside(this.meta, b);
    this.time = this.beside.time;
    const none = new Uint32Array(0);
    this.template = o.step_template;
    this.line = o.step_line;
    this.after = o.step_after;
    this.graph = o.step_graph;
    this.tpl = t;
    this.str = new StringTable(t.str_offset, t.str);
    this.ten = {
      birth: n.ten_birth ?? new Int32Array(0), life: n.ten_life, type: n.ten_type ?? none, cls: n.ten_class,
      back: n.ten_back, name: n.ten_name, rank: n.ten_rank, address: n.ten_address,
    };
    this.ten.count = this.ten.birth.length;
    this.registry = (registry?.entries ?? []).map(([index, ssa, name, type, shape, dtype, bytes, program, local, kv, buffer]) =>
      ({ index, ssa, name: name ?? '', type: type ?? 'unknown', shape: shape ?? '', dtype: dtype ?? '', bytes: bytes ?? 0, program, local, kv, buffer: buffer ?? index }));
    this.locations = { module: l.loc_module ?? none, name: l.loc_name ?? none, line: l.loc_line ?? none, op: l.loc_op, value: l.loc_value, fn: l.loc_function };
    this.ready = true;
  }

  /** The table of long strings, opened when first asked for. */
  async texts() {
    this.textPromise ??= sectionColumns('text').then(c => new StringTable(c.text_offset, c.text));
    return this.textPromise;
  }
  async moduleText(i) {
    const module = this.modules[i];
    module.text ??= sectionBytes(module.section).then(b => (b ? new TextDecoder().decode(b) : ''));
    return module.text;
  }

  rankOf(step) {
    return this.stepRank ? this.stepRank[step] : 0;
  }
  config(block, pool) {
    const c = this.configs[this.blockConfig && block >= 0 ? this.blockConfig[block] : 0];
    return c?.[pool] ?? null;
  }
  /** The first memory block of a rank, whose banks are the rank's; -1 without one. */
  firstBlock(rank) {
    if (!this.stepRank) return this.blockStep.length ? 0 : -1;
    this.firstBlocks ??= new Map();
    if (!this.firstBlocks.has(rank)) this.firstBlocks.set(rank, this.blockStep.findIndex(s => this.stepRank[s] === rank));
    return this.firstBlocks.get(rank);
  }
  /** Does the log tell how many banks the pool has? Without them there are sizes of whole tensors only. */
  banksKnown(pool) {
    return this.configs.some(c => c?.[pool]?.[0] > 0);
  }
  /** What figures of a pool are per: L1 may be allocated core by core. */
  per(pool) {
    return this.meta.l1_per_core && this.pools[pool] === 'L1' ? 'per core' : 'per bank';
  }
  /** The same for figures of several pools in one column. */
  perOf(pools) {
    const all = [...new Set(pools.map(p => this.per(p)))];
    return all.length > 1 ? 'per bank (L1: per core)' : all[0] ?? 'per bank';
  }
  /** The largest capacity of a pool in the run, thousandths per bank. */
  capacity(pool) {
    let max = 0;
    for (const c of this.configs) max = Math.max(max, c?.[pool]?.[1] ?? 0);
    return max;
  }
  banks(pool, block = -1) {
    return this.config(block, pool)?.[0] ?? 1;
  }
  total(pool, block = -1) {
    return this.config(block, pool)?.[1] ?? 0;
  }
  allocAt(block, pool) {
    return block < 0 || !this.alloc[pool] ? -1 : this.alloc[pool][block];
  }
  freeAt(block, pool) {
    const a = this.allocAt(block, pool);
    return a < 0 ? -1 : this.total(pool, block) - a - (this.slack[pool]?.[block] ?? 0);
  }
  largestAt(block, pool) {
    const f = this.freeAt(block, pool);
    return f < 0 ? -1 : f - (this.gap[pool]?.[block] ?? 0);
  }
  afterBlock(step) {
    return this.after ? this.after[step] : -1;
  }
  /** Change made by a step in thousandths per bank, or null when the log does not tell. */
  delta(step, pool) {
    const a = this.allocAt(this.blockOf[step], pool), b = this.allocAt(this.afterBlock(step), pool);
    return a < 0 || b < 0 ? null : b - a;
  }

  /** The same for lists of growth: null where it is that of other ops, the load_cached around it or those of the program that it calls. */
  growth(step, pool) {
    return this.flags[step] & FLAG.GROWTH_ELSEWHERE ? null : this.delta(step, pool);
  }

  isRecord(step) {
    return (this.flags[step] & FLAG.RECORD) !== 0;
  }
  /** Number of the last record of the step's rank at or before the step; -1 when there is none. */
  recordUpTo(step) {
    let s = step;
    while (s >= 0 && !(this.isRecord(s) && this.rankOf(s) === this.rankOf(step))) s--;
    return s < 0 ? -1 : this.recordOf[s];
  }
  /** `#1516` for a record, `deallocate after #1516` for what ran after it without being one. */
  label(step) {
    if (step < 0) return 'the start';
    const r = this.recordOf[step];
    if (this.isRecord(step)) return `#${r}`;
    const name = (this.ready && this.name(step).split('.').pop().slice(0, 40)) || 'step';
    return r > 0 ? `${name} after #${r - 1}` : `${name} before #0`;
  }
  /** Does the report tell which arguments are weights? */
  get rolesKnown() {
    return this.meta.roles_known ?? Boolean(this.registry?.length);
  }
  /** Does the input tell shapes of tensors, and not only the bytes of buffers? */
  get shapesKnown() {
    this.hasShapes ??= Array.from(new Set(this.tpl.type_dtype ?? []), id => this.str.get(id)).some(d => d !== 'bytes' && d !== 'kernel');
    return this.hasShapes;
  }
  /** Bytes of a type that are padding: what it takes beyond its elements. Memory in no tensor has no elements, and no padding. */
  paddingOf(id) {
    const { type_logical: logical, type_physical: physical } = this.tpl;
    return logical?.[id] > 0 ? Math.max(0, physical[id] - logical[id]) : 0;
  }
  /** What a tensor's class is called: where roles are not known, a weight cannot be told from an input. */
  className(cls) {
    return CLASSES[cls] === 'input' && !this.rolesKnown ? 'weight or input' : CLASSES[cls];
  }
  templateOf(step) {
    const t = this.template?.[step];
    return t === undefined || t === NONE ? -1 : t;
  }
  name(step) {
    const t = this.templateOf(step);
    return t < 0 ? '' : this.str.get(this.tpl.tpl_name[t]);
  }
  loc(step) {
    const t = this.templateOf(step);
    return t < 0 ? '' : this.str.get(this.tpl.tpl_loc[t]);
  }
  program(step) {
    const p = this.stepProgram?.[step];
    return p === undefined || p === NONE ? -1 : p;
  }
  programName(step) {
    const p = this.program(step);
    return p < 0 ? '' : this.programs.names[this.programs.name[p]] ?? '';
  }
  /** Operands or results of a template: [{name, type}]. */
  values(template, side) {
    if (template < 0) return [];
    const { tpl } = this;
    const start = tpl[`tpl_${side}`], names = tpl[`${side}_name`], types = tpl[`${side}_type`];
    const list = [];
    if (start) for (let i = start[template]; i < start[template + 1]; i++) list.push({ name: this.str.get(names[i]), type: types[i] });
    return list;
  }
  weightsOf(template) {
    const { tpl_weight: start, weight } = this.tpl;
    return template < 0 || !start ? [] : Array.from(weight.subarray(start[template], start[template + 1]), i => this.registry[i]).filter(Boolean);
  }
  type(id) {
    const { tpl, str } = this;
    if (id === undefined || id === NONE || !tpl.type_shape || id >= tpl.type_shape.length) return null;
    return {
      id, shape: str.get(tpl.type_shape[id]), dtype: str.get(tpl.type_dtype[id]), storage: str.get(tpl.type_storage?.[id]),
      layout: str.get(tpl.type_layout?.[id]), grid: str.get(tpl.type_grid?.[id]), padded: str.get(tpl.type_padded?.[id]),
      pool: tpl.type_pool?.[id] ?? 255, logical: tpl.type_logical[id], physical: tpl.type_physical[id], lost: this.paddingOf(id), bank: tpl.type_bank[id],
      advice: str.get(tpl.type_advice?.[id]), better: tpl.type_better?.[id] ?? 0, text: tpl.type_text?.[id] ?? 0,
    };
  }
  tensor(i) {
    const { ten } = this;
    const back = ten.back ? ten.back[i] : 0;
    const life = ten.life ? ten.life[i] : NONE;
    return {
      id: i, birth: ten.birth[i], death: life === NONE ? -1 : ten.birth[i] + life, type: this.type(ten.type[i]),
      cls: ten.cls ? ten.cls[i] : 1, producer: back < 0 ? -1 : ten.birth[i] - back, name: this.str.get(ten.name?.[i]),
    };
  }
}
