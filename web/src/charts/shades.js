// SPDX-License-Identifier: Apache-2.0
// How much of its colour a part of a band has, the rest being the background.
export const SHADES = { band: 0.8, padding: 0.4, edge: 0.3, hatch: 0.9, hatched: 0.14, pinned: 1 };
