// SPDX-License-Identifier: Apache-2.0
// Devices now: samples come as Server-Sent Events; each device has a graph per memory and a table of its processes.
// Names and command lines are other people's text: they only ever become text nodes.
const KINDS = [['dram', 'DRAM'], ['l1', 'L1'], ['l1_small', 'L1_SMALL'], ['trace', 'TRACE'], ['cb', 'CB']];
const WINDOW_NS = 300e9; // what the graphs show
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];
const main = document.getElementById('devices');
const state = document.getElementById('state');
const bounds = document.getElementById('bounds');
const devices = new Map();
let paused = false;

function amount(bytes) {
  let unit = 0;
  while (bytes >= 1024 && unit < 4) { bytes /= 1024; unit++; }
  return `${unit ? bytes.toFixed(bytes < 100 ? 2 : 1) : bytes} ${UNITS[unit]}`;
}

function age(then, now) {
  if (!then) return 'never';
  const s = (now - then) / 1e9;
  if (s < -1) return 'in the future';
  return s < 10 ? `${Math.max(0, s).toFixed(1)} s` : s < 120 ? `${Math.floor(s)} s` : s < 7200 ? `${Math.floor(s / 60)} min` : `${Math.floor(s / 3600)} h`;
}

function element(tag, text, className) {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  if (className) e.className = className;
  return e;
}

class Device {
  constructor(chip) {
    this.history = KINDS.map(() => []);
    this.section = element('section');
    this.section.dataset.chip = chip;
    this.title = this.section.appendChild(element('h2'));
    this.kinds = this.section.appendChild(element('div', undefined, 'kinds'));
    this.rows = KINDS.map(([, name]) => {
      const label = this.kinds.appendChild(element('span', name));
      const canvas = this.kinds.appendChild(element('canvas'));
      const figure = this.kinds.appendChild(element('span', '', 'num'));
      return { label, canvas, figure };
    });
    this.kinds.append(element('span'), (this.axis = element('div', undefined, 'axis dim')), element('span'));
    this.table = this.section.appendChild(element('table'));
  }

  show(sample, now) {
    this.title.textContent = sample.problem ? `chip ${sample.chip}: ${sample.problem}`
      : `device ${sample.device_id} · chip ${sample.chip} · updated ${age(sample.updated_ns, now)} ago`;
    this.title.className = sample.problem ? 'bad' : '';
    this.kinds.hidden = this.table.hidden = Boolean(sample.problem);
    if (sample.problem) return;
    KINDS.forEach(([key], i) => this.#showKind(sample, `${key}_bytes`, i, now));
    const clock = ns => new Date(ns / 1e6).toLocaleTimeString('en-GB');
    this.axis.replaceChildren(...[1, 0.5, 0].map(part => element('span', clock(now - part * WINDOW_NS))));
    this.#showProcesses(sample, now);
  }

  #showKind(sample, key, i, now) {
    const { label, canvas, figure } = this.rows[i];
    const value = sample.memory[key], total = sample.segment[key], capacity = sample.capacity?.[key];
    const past = this.history[i];
    past.push({ at: now, value });
    while (past.length > 1 && past[1].at <= now - WINDOW_NS) past.shift();
    label.hidden = canvas.hidden = figure.hidden = i > 1 && !past.some(p => p.value) && !total;
    if (label.hidden) return;
    figure.textContent = amount(value) + (capacity ? ` of ${amount(capacity)}, ${Math.floor((value * 100) / capacity)} %` : '')
      + ` · peak ${amount(sample.peak[key])}` + (total !== value ? ` · the segment says ${amount(total)}` : '');
    figure.classList.toggle('bad', Boolean(capacity) && value >= capacity * 0.9);
    draw(canvas, past, capacity || past.reduce((m, p) => Math.max(m, p.value), 1), now);
  }

  #showProcesses(sample, now) {
    const head = element('tr');
    for (const name of ['pid', 'process', ...KINDS.map(k => k[1]), 'updated']) head.append(element('th', name, name === 'process' ? '' : 'num'));
    head.append(element('th', 'command'));
    const rows = sample.processes.map(p => {
      const row = element('tr', undefined, p.counted ? '' : 'dead');
      row.append(element('td', p.pid, 'num'), element('td', p.name));
      for (const [key] of KINDS) row.append(element('td', amount(p.memory[`${key}_bytes`]), 'num'));
      row.append(element('td', age(p.updated_ns, now), 'num'), element('td', p.counted ? p.command || p.state : `${p.state}: not in the sum`));
      return row;
    });
    this.table.replaceChildren(head, ...rows);
  }
}

// Steps, never slopes: memory does not interpolate.
function draw(canvas, past, top, now) {
  const ratio = devicePixelRatio || 1;
  const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
  if (!width || !height) return;
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const g = canvas.getContext('2d');
  g.clearRect(0, 0, width, height);
  g.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--alloc');
  const place = at => Math.max(0, width * (1 - (now - at) / WINDOW_NS));
  past.forEach(({ at, value }, i) => {
    const h = Math.min(height, (value / top) * height), x = place(at);
    g.fillRect(x, height - h, Math.max(ratio, place(past[i + 1]?.at ?? now) - x), h);
  });
}

function show(sample) {
  const seen = new Set();
  for (const device of sample.devices) {
    seen.add(device.chip);
    if (!devices.has(device.chip)) {
      devices.set(device.chip, new Device(device.chip));
      main.append(devices.get(device.chip).section);
    }
    devices.get(device.chip).show(device, sample.time_ns);
  }
  for (const [chip, device] of devices) {
    if (seen.has(chip)) continue;
    device.section.remove();
    devices.delete(chip);
  }
  bounds.hidden = !sample.devices.some(d => d.may_be_lower_bound);
  state.textContent = sample.devices.length ? `${sample.devices.length} device${sample.devices.length === 1 ? '' : 's'}`
    : 'no device is open: tt-metal from 2026-04-19 on shares the memory of each chip that a program has opened, unless TT_METAL_SHM_TRACKING_DISABLED=1 is set';
}

document.getElementById('pause').addEventListener('click', event => {
  paused = !paused;
  event.target.setAttribute('aria-pressed', paused);
  event.target.textContent = paused ? 'resume' : 'pause';
});
document.getElementById('theme').addEventListener('click', () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
});

const source = new EventSource('/live/events');
source.addEventListener('message', event => {
  if (!paused) show(JSON.parse(event.data));
});
source.addEventListener('error', () => { state.textContent = 'the server does not answer; trying again'; });
