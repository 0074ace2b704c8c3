// SPDX-License-Identifier: Apache-2.0
// Step lines. With more steps than pixels a line is painted as one upright bar per pixel column, from the lowest level inside the
// column to the highest: the pixels that stroking the path would cover, at a fraction of the cost where no GPU strokes it.
import uPlot from 'uplot';

const dense = u => u.data[0].length > u.bbox.width;

/** A series of uPlot: a step line, with an area under it if `fill` is given. A dense one has no path: paintColumns paints it. */
export function stepLine(stroke, width, fill) {
  const path = uPlot.paths.stepped({ align: 1 });
  return { stroke, width, fill, steps: true, points: { show: false }, paths: (u, ...rest) => (dense(u) ? null : path(u, ...rest)) };
}

/** The outline of bands: while `bare()`, a step line; then the upper edges alone, since the upright ones would hide narrow spikes. */
export function topLine(stroke, width, bare) {
  const line = stepLine(stroke, width);
  return { ...line, covered: () => !bare(), paths: (u, ...rest) => (bare() ? line.paths(u, ...rest) : dense(u) ? null : { stroke: edges(u, ...rest), fill: null, clip: null, band: null, gaps: null, flags: 0 }) };
}
function edges(u, si, i0, i1) {
  const [xs] = u.data, ys = u.data[si], path = new Path2D();
  for (let i = i0; i < i1; i++) {
    if (ys[i] === null || ys[i] === undefined) continue;
    const y = Math.round(u.valToPos(ys[i], 'y', true));
    path.moveTo(u.valToPos(xs[i], 'x', true), y);
    path.lineTo(u.valToPos(xs[i + 1], 'x', true), y);
  }
  return path;
}

/** After uPlot's turn at series `si`: its band, area and line if they are dense. `fwd` maps a position to the axis. */
export function paintColumns(u, si, lines, bands, fwd) {
  const line = lines[si - 1];
  if (!line.steps || line.covered?.() || !dense(u)) return;
  const { ctx } = u, { left, top, width, height } = u.bbox;
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, width, height);
  ctx.clip();
  const own = extents(u, si, fwd), bar = Math.max(1, line.width * devicePixelRatio);
  const band = bands?.find(b => b.series[0] === si);
  if (band) {
    const below = extents(u, band.series[1], fwd);
    // Only what lies between the lines all through the column; the bars of the lines cover the rest of it.
    bars(u, band.fill, i => own.low[i], i => below.high[i]);
  } else if (line.fill) bars(u, line.fill, i => own.high[i], () => height);
  bars(u, line.stroke, i => own.high[i] - bar / 2, i => own.low[i] + bar / 2);
  ctx.restore();
}

/** A bar per column from `upper` to `lower`, rounded to pixels; neighbours that are the same are one rectangle. */
function bars(u, color, upper, lower) {
  const { ctx } = u, { left, top, width } = u.bbox;
  ctx.fillStyle = color;
  let start = 0, a = NaN, b = NaN;
  for (let i = 0; i <= width; i++) {
    const c = i < width ? Math.round(upper(i)) : NaN, d = i < width ? Math.round(lower(i)) : NaN;
    if (c === a && d === b) continue;
    if (b > a) ctx.fillRect(left + start, top + a, i - start, b - a);
    start = i;
    a = c;
    b = d;
  }
}

/** Per pixel column the highest and the lowest place of a line, in pixels from the top; NaN where it has none. */
function extents(u, si, fwd) {
  const [xs] = u.data, ys = u.data[si], { width, height } = u.bbox;
  const high = new Float64Array(width).fill(NaN), low = new Float64Array(width).fill(NaN);
  const { min, max } = u.scales.y, perY = height / (max - min);
  const x0 = fwd(u.scales.x.min), perX = width / (fwd(u.scales.x.max) - x0);
  let from = Math.floor((fwd(xs[0]) - x0) * perX);
  for (let i = 0; i + 1 < xs.length; i++) {
    const to = Math.floor((fwd(xs[i + 1]) - x0) * perX), v = ys[i];
    // The level holds up to the next step, whose column it shares: there the line goes up or down.
    if (v !== null && v !== undefined && to >= 0 && from < width) {
      const y = (max - v) * perY;
      for (let c = Math.max(0, from), end = Math.min(width - 1, to); c <= end; c++) {
        if (!(high[c] <= y)) high[c] = y;
        if (!(low[c] >= y)) low[c] = y;
      }
    }
    from = to;
  }
  return { high, low };
}
