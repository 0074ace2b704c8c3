// SPDX-License-Identifier: Apache-2.0
// The list of reports: the server wrote the rows; here they are sorted, searched and given their bars.
const rows = document.getElementById('rows');
const search = document.getElementById('search');
const all = [...rows.rows];

for (const row of all) {
  row.dataset.commit = row.cells[2].title;
  row.dataset.labels = row.cells[3].textContent;
  const bar = row.querySelector('.bar i');
  if (bar) bar.style.width = `${Math.min(100, Number(row.dataset.share) / 10)}%`;
}

// What was searched and sorted by is in the address.
const asked = () => new URLSearchParams(location.hash.slice(1));
function keep(key, value) {
  const q = asked();
  if (value) q.set(key, value); else q.delete(key);
  history.replaceState(null, '', q.size ? `#${q}` : location.pathname);
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

const TEXTS = ['name', 'state', 'chip', 'commit', 'labels'];
function sortBy(head, descending) {
  for (const other of head.parentNode.children) if (other.dataset.key) other.setAttribute('aria-sort', 'none');
  head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
  const key = head.dataset.key;
  const compare = (a, b) => (TEXTS.includes(key) ? a.dataset[key].localeCompare(b.dataset[key]) : Number(a.dataset[key]) - Number(b.dataset[key]));
  all.sort((a, b) => (descending ? -compare(a, b) : compare(a, b)));
  rows.append(...all);
}

const heads = [...document.querySelectorAll('th[data-key]')];
for (const head of heads) {
  head.querySelector('button').addEventListener('click', () => {
    const now = head.getAttribute('aria-sort'), descending = now === 'ascending' || (now === 'none' && !TEXTS.includes(head.dataset.key));
    sortBy(head, descending);
    keep('sort', `${head.dataset.key}${descending ? '.down' : ''}`);
  });
}
search.addEventListener('input', () => { show(); keep('search', search.value.trim()); });

function follow() {
  const q = asked(), [key, down] = (q.get('sort') ?? 'date.down').split('.');
  const head = heads.find(h => h.dataset.key === key);
  if (head) sortBy(head, down === 'down');
  search.value = q.get('search') ?? '';
  show();
}
addEventListener('hashchange', follow);
follow();

// Two that are ticked can be compared; a third one takes the place of the older.
const ticked = [];
const compare = document.getElementById('compare'), hint = document.getElementById('compare-hint');
rows.addEventListener('change', e => {
  if (e.target.type !== 'checkbox') return;
  if (e.target.checked) ticked.push(e.target);
  else ticked.splice(ticked.indexOf(e.target), 1);
  if (ticked.length > 2) ticked.shift().checked = false;
  compare.hidden = ticked.length < 2;
  hint.hidden = !compare.hidden;
  if (!compare.hidden) {
    const [a, b] = ticked.map(t => t.value);
    compare.href = `/diff?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}`;
    compare.textContent = `compare ${a} with ${b}`;
  }
});

const root = document.documentElement;
const system = matchMedia('(prefers-color-scheme: dark)');
const setTheme = dark => root.setAttribute('data-theme', dark ? 'dark' : 'light');
setTheme(system.matches);
system.addEventListener('change', () => setTheme(system.matches));
document.getElementById('theme').addEventListener('click', () => setTheme(root.dataset.theme !== 'dark'));
