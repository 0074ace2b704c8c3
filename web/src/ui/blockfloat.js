// SPDX-License-Identifier: Apache-2.0
// What tensors would take in bfloat8_b. A tile of 32x32 has 1,024 bytes of mantissas and 64 of exponents, beside 2,048 in bf16 and 4,096 in f32.
const TILE_BYTES = { bf16: 2048, f16: 2048, f32: 4096 };
const BLOCK_TILE = 1088;

/** The share of its size that a tensor type would keep; 1 where it cannot be held so, or is already. */
export function blockShare(type) {
  const now = TILE_BYTES[type.storage || type.dtype];
  return now && /^tile 32x32/.test(type.layout) ? BLOCK_TILE / now : 1;
}

/** Bytes per bank of the weights, and what const-eval made of them, where a pool is fullest: {now, then}; null when there are none. */
export function weightsInBlocks({ run, view }, pool) {
  const c = view.fullest(pool), lives = view.lives(pool), sum = { now: 0, then: 0 };
  if (c < 0 || lives.held) return null;
  for (const i of view.aliveAt(pool, c)) {
    const t = run.tensor(lives.id[i]);
    if (t.cls !== WEIGHT && t.cls !== CONST_EVAL) continue;
    sum.now += lives.size[i];
    sum.then += lives.size[i] * blockShare(t.type);
  }
  return sum.now > 0 ? sum : null;
}

const WEIGHT = 0, CONST_EVAL = 2;
