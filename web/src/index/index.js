// SPDX-License-Identifier: Apache-2.0
// The list of reports: the server wrote the rows; here they are sorted, searched and given their bars.
const rows = document.getElementById('rows');
const search = document.getElementById('search');
const all = [...rows.rows];

for (const row of all) {
  const bar = row.querySelector('.bar i');
  if (bar) bar.style.width = `${Math.min(100, Number(row.dataset.share) / 10)}%`;
}

function show() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const row of all) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every(w => text.includes(w));
    shown += !row.hidden;
  }
  document.getElementById('shown').textContent = words.length ? `${shown} of ${all.length}` : `${all.length}`;
  document.getElementById('none').hidden = all.length > 0;
}

function sortBy(head) {
  const descending = head.getAttribute('aria-sort') === 'ascending' || (head.getAttribute('aria-sort') === 'none' && head.dataset.key !== 'name');
  for (const other of head.parentNode.children) if (other.dataset.key) other.setAttribute('aria-sort', 'none');
  head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
  const key = head.dataset.key;
  const numeric = key !== 'name' && key !== 'state';
  const compare = (a, b) => (numeric ? Number(a.dataset[key]) - Number(b.dataset[key]) : a.dataset[key].localeCompare(b.dataset[key]));
  all.sort((a, b) => (descending ? -compare(a, b) : compare(a, b)));
  rows.append(...all);
}

for (const head of document.querySelectorAll('th[data-key]')) head.querySelector('button').addEventListener('click', () => sortBy(head));
search.addEventListener('input', show);
show();

const root = document.documentElement;
const system = matchMedia('(prefers-color-scheme: dark)');
const setTheme = dark => root.setAttribute('data-theme', dark ? 'dark' : 'light');
setTheme(system.matches);
system.addEventListener('change', () => setTheme(system.matches));
document.getElementById('theme').addEventListener('click', () => setTheme(root.dataset.theme !== 'dark'));
