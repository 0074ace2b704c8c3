// SPDX-License-Identifier: Apache-2.0
// Reports of generated logs, written by the program under test: their JSON files are what the pages are compared with.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { HOSTILE } from '../../web/lib/odd.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
export const BINARY = process.env.TTMEM ?? join(root, 'build/ttmem');
const GENLOG = process.env.GENLOG ?? join(dirname(BINARY), 'genlog');

/** One op per hostile text, in its location, attributes, and the name of its operand; a memory block before each. */
function hostileLog() {
  const quote = s => `"${s.replace(/\\/g, '\\\\').replace(/"/g, '\\22').replace(/[\u0000-\u001f]/g, c => `\\${c.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`)}"`;
  const type = 'tensor<32x32xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<1x1x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>>';
  const view = used => `numBanks: 12, totalBytesPerBank: 1022.169 MB, totalBytesAllocatedPerBank: ${used} MB, totalBytesFreePerBank: ${(1022.169 - used).toFixed(3)} MB, largestContiguousBytesFreePerBank: ${(1022.169 - used).toFixed(3)} MB`;
  const line = message => `           RuntimeTTNN | DEBUG    | ${message}`;
  const lines = [line('Starting execution of program: main')];
  const texts = [...HOSTILE, 'x</script>'.repeat(10240)];
  texts.forEach((text, i) => {
    lines.push(line(`Executing operation: %${i + 1} = "ttnn.add"(%${i}) <{note = ${quote(text)}}> : (${type}) -> ${type} loc(${quote(text)})`));
    lines.push(line('Device memory state before operation AddOp'), line(`Device DRAM memory state: MemoryView{${view((1 + i / 10).toFixed(3))}}`));
  });
  lines.push(line('Finished execution of program: main'));
  return `${lines.join('\n')}\n`;
}

const TYPE = 'tensor<320x320xbf16, #ttnn.ttnn_layout<(d0, d1) -> (d0, d1), <1x1>, memref<10x10x!ttcore.tile<32x32, bf16>, #ttnn.buffer_type<dram>>, <interleaved>>>';
const runtime = message => `            RuntimeTTNN |    DEBUG | ${message}`;
const op = (result, operand) => runtime(`Executing operation: %${result} = "ttnn.relu"(%${operand}) : (${TYPE}) -> ${TYPE} loc("relu.${result}")`);
function block(used, { when = 'before operation EltwiseUnaryOp', banks = 12, total = 1000, tag = '' } = {}) {
  const line = message => `${tag}                 Always |     INFO | ${message}`;
  const mb = v => `${v.toFixed(3)} MB`;
  return [line(`Device memory state ${when}`), line(`Device DRAM memory state: MemoryView{numBanks: ${banks}, totalBytesPerBank: ${mb(total)}, totalBytesAllocatedPerBank: ${mb(used)}, totalBytesFreePerBank: ${mb(total - used)}, largestContiguousBytesFreePerBank: ${mb(total - used)}}`)];
}

/** One device of 12 x 1000 MB whose op lines are in the log, and a rank on one of 7 x 4000 MB of which there is a memory block alone. */
const twoDevices = () => [runtime('Starting execution of program: main'), op(1, 'arg0'), ...block(10), op(2, 1), ...block(10.018), op(3, 2), ...block(10.036),
  runtime('Finished execution of program: main'), ...block(2041.5, { banks: 7, total: 4000, tag: '[1,0]<stdout>:' }), ''].join('\n');

/** Memory lines around the submit alone: the peak is seen after the last op. */
const submits = () => [...block(5, { when: 'before submit' }), runtime('Starting execution of program: main'), op(1, 'arg0'), op(2, 1), op(3, 2),
  runtime('Finished execution of program: main'), ...block(9, { when: 'after submit' }), ''].join('\n');

/** Two tensors of 0.018 MB per bank that no line frees, and memory lines that fall back to almost nothing. */
const unseenFrees = () => [runtime('Starting execution of program: main'), op(1, 'arg0'), ...block(0.001), op(2, 1), ...block(0.036), op(3, 2), ...block(0.010), ''].join('\n');

/** Three runs of a program on one device, each of which fails after its twentieth op. */
const threeFailures = () => [1, 2, 3].flatMap(n => [runtime('Starting execution of program: main'), ...Array.from({ length: 20 }, (_, i) => [op(i + 1, i || 'arg0'), ...block(100 + i)]).flat(),
  `2026-01-01 00:00:0${n}.000 | critical |          Always | TT_FATAL: Out of Memory: Not enough space to allocate ${n}67772160 B DRAM buffer across 12 banks, where each bank needs to store ${n}3981184 B, but bank size is 1048576000 B (allocated: 993390656 B, free: 55185344 B, largest free block: 8713184 B) (assert.hpp:104)`]).concat('').join('\n');

export const LOGS = {
  failures: threeFailures,
  'two-devices': twoDevices,
  submits,
  'unseen-frees': unseenFrees,
  leak: ['--ops', '60', '--batch', '1', '--seq', '33', '--hidden', '1024', '--const-eval', '0', '--warmup', '6', '--change', 'leak'],
  layers: ['--paths', '--warmup', '2', '--ops', '330', '--hidden', '2048', '--seq', '1000', '--batch', '4', '--const-eval', '10', '--change', 'keep', '--seed', '3'],
  plain: ['--ops', '400', '--warmup', '1', '--edge', '0.2'],
  oom: ['--ops', '300', '--warmup', '1', '--oom'],
  ranks: ['--ops', '150', '--ranks', '2'],
  'many-ranks': ['--ops', '20', '--ranks', '12'],
  'ops-only': ['--ops', '200', '--level', 'none'],
  'no-modules': ['--ops', '150', '--modules', 'none'],
  long: ['--ops', '20000'],
  programs: ['--ops', '120', '--programs', '3', '--interleave-programs', '--warmup', '1'],
  'memory-only': ['--ops', '200', '--no-ops', '--modules', 'none'],
  torn: ['--ops', '200', '--noise', '0.2', '--interleave', '0.2', '--ansi', '--bad-utf8', '--nul'],
  hostile: hostileLog,
};

const json = path => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null);

/** Makes the log and its report once; {dir, log, html, url, memory, operations, registry, ir, summary}. */
export function makeReport(dir, kind) {
  const log = join(dir, `${kind}_profile.log`), out = join(dir, `report-${kind}`);
  const how = LOGS[kind];
  if (typeof how === 'function') writeFileSync(log, how());
  else execFileSync(GENLOG, ['-o', log, ...how]);
  execFileSync(BINARY, ['analyze', log, '--output-dir', out, '--quiet']);
  return readReport(out, kind, log);
}

export function readReport(out, kind, log = null) {
  const file = part => join(out, `${kind}_${part}`);
  return {
    dir: out, log, html: file('report.html'), url: pathToFileURL(file('report.html')).href,
    memory: json(file('memory.json')), operations: json(file('operations.json')), registry: json(file('inputs_registry.json')),
    ir: json(file('ir.json')), summary: json(file('summary.json')),
  };
}

const pick = (object, keys) => Object.fromEntries(keys.filter(k => k in object).map(k => [k, object[k]]));
const MEMORY_KEYS = ['op_type', 'memory', 'index', 'mlir_op', 'loc', 'const_eval_graph', 'const_eval_cache_miss', 'is_weight_op', 'unpadded_memory'];
const OPERATION_KEYS = ['result', 'mlir_op', 'inputs', 'attributes', 'input_types', 'output_type', 'input_shapes', 'input_dtypes', 'output_shapes', 'output_dtypes',
  'output_layout_info', 'loc', 'index', 'program_index', 'const_eval_graph', 'const_eval_cache_miss', 'is_weight_op', 'weights'];

/** The same report as the Python profiler wrote it: `list` (only a list of records) or `object`; registry and IR only with the latter. */
export function olderReport(dir, kind, form, report) {
  const out = join(dir, `older-${form}`);
  mkdirSync(out, { recursive: true });
  const records = report.memory.operations.map(r => pick(r, MEMORY_KEYS));
  const { memory_config, total_operations, programs } = report.memory.metadata;
  const put = (part, value) => writeFileSync(join(out, `${kind}_${part}.json`), JSON.stringify(value, null, 2));
  put('memory', form === 'list' ? records : { metadata: { memory_config, total_operations, programs: programs.map(p => pick(p, ['name', 'start_op_index', 'end_op_index'])) }, operations: records });
  put('operations', report.operations.map(o => pick(o, OPERATION_KEYS)));
  if (form !== 'list') {
    put('inputs_registry', report.registry);
    put('ir', report.ir);
  }
  execFileSync(BINARY, ['view', out]);
  return readReport(out, kind);
}
