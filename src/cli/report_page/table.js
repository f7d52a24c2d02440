// The table, its order and its filters. A column has a title, a width, a kind, `get` for what is
// sorted by, and where that is not its text, `show`.
const number = (title, width, get, show) => ({ title, width: width + 'px', kind: 'number', get, show });
const statistic = (title, get, width = 78) => number(title, width, (row) => (row.a ? get(row.a) : null));
const metric = (title, name, width = 76) => number(title, width, (row) => row.found[name] ?? null);
const estimated = (found, value) => (isEstimate(found) && value !== null ? '~' : '') + short(value);
const decibels = (found) => {
  if (!found.statistics) return found.snr_state === 'exact' && isAlikeNonFinite(found) ? Infinity : found.snr_db ?? null;
  const error = relativeL2(found);
  return error === null ? null : error === 0 ? (isEstimate(found) ? null : Infinity) : -20 * Math.log10(error);
};
const snr = (found) => {
  if (found.snr_state === 'zero_reference') return 'zero ref';
  const value = decibels(found);
  return value === Infinity ? 'exact' : estimated(found, value);
};
const ulp = (found) => (found.ulp && found.ulp.max > found.ulp.binade ? '>binade' : short(found.ulp && found.ulp.max));
// A record's error over that of what went in; without a bound where none came in.
const amplification = (found) =>
  (found.origin ? found.origin.amplification : null) ?? (found.makes_error ? Infinity : null);
const outOverIn = (found) => {
  const ratio = amplification(found);
  return ratio === Infinity ? 'new' : short(ratio) + (found.makes_error ? ' new' : '');
};
const noiseOf = (found) => (found.noise ? found.noise.excess ?? Infinity : null);
const hasNoise = comparison && rows.some((row) => row.found.noise);
const hasSuspicions = comparison && rows.some((row) => row.found.suspicions);
const sideOf = (row) => row.a || row.b;
const dtypeAndShape = [
  { title: 'dtype', width: '52px', kind: 'text', get: (row) => (sideOf(row) ? sideOf(row).dtype : null) },
  { title: 'shape', width: '100px', kind: 'text', get: (row) => (sideOf(row) ? `[${sideOf(row).shape.join(', ')}]` : null) },
];
const columns = [
  { title: 'path', width: 'minmax(180px, 1fr)', kind: 'path', get: (row) => row.path, show: (row) => printable(row.path) },
  ...(isRecording ? [number('step', 38, (row) => row.record.step), number('call', 36, (row) => row.record.call)] : []),
  ...(comparison ? [
    { title: 'verdict', width: '74px', kind: 'verdict', get: (row) => row.found.verdict },
    metric('max abs', 'max_absolute'),
    number('rel L2', 76, (row) => relativeL2(row.found), (row) => estimated(row.found, relativeL2(row.found))),
    ...(hasNoise ? [number('noise', 64, (row) => noiseOf(row.found), (row) => (row.found.noise ? excess(row.found.noise) : '–'))] : []),
    ...(isRecording ? [number('out/in', 92, (row) => amplification(row.found), (row) => outOverIn(row.found))] : []),
    ...(hasSuspicions ? [{ title: 'suspected', width: '130px', kind: 'text', get: (row) => faultsOf(row).join(', ') || null }] : []),
    metric('beyond', 'beyond', 58),
    number('ULP', 66, (row) => (row.found.ulp ? row.found.ulp.max : null), (row) => ulp(row.found)),
    number('SNR dB', 60, (row) => decibels(row.found), (row) => snr(row.found)),
    metric('max rel', 'max_relative'),
    ...dtypeAndShape,
  ] : [
    ...dtypeAndShape,
    number('size', 72, sizeOf, (row) => bytes(sizeOf(row))),
    statistic('min', (one) => one.min),
    statistic('max', (one) => one.max),
    statistic('mean', (one) => one.mean),
    statistic('std', (one) => one.standard_deviation, 72),
    statistic('L2', (one) => one.l2_norm, 72),
    statistic('zeros', (one) => one.zeros, 60),
    statistic('NaN', (one) => one.nan, 48),
    statistic('Inf', infinite, 48),
  ]),
];
const textOf = (column, row) => (column.show ? column.show(row) : short(column.get(row)));

// ---- what is shown ----
const state = { sort: null, down: false, prefix: null, open: null, shown: rows };
const globOf = (text) =>
  new RegExp('^' + text.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '[^]*').replace(/\?/g, '[^]') + '$', 'i');
const compareValues = (a, b) =>
  typeof a === 'number' && typeof b === 'number' ? a - b : String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;

function refresh() {
  const text = byId('filter').value.trim();
  const glob = /[*?]/.test(text) ? globOf(text) : null;
  const part = text.toLowerCase();
  const which = byId('verdict').value;
  const step = byId('step').value;
  state.shown = rows.filter((row) =>
    (!text || (glob ? glob.test(row.path) : row.path.toLowerCase().includes(part))) &&
    (which === 'all' || (which === 'bad' ? isBad(row) : row.found.verdict === which)) &&
    (step === 'all' || String(row.record.step) === step) &&
    (state.prefix === null || state.prefix.rows.has(row)));
  if (state.sort) {
    const column = state.sort;
    const sign = state.down ? -1 : 1;
    state.shown.sort((x, y) => {
      const a = column.get(x);
      const b = column.get(y);
      if (a === null || b === null) return (a === null) - (b === null) || x.index - y.index;
      return sign * compareValues(a, b) || x.index - y.index;
    });
  }
  byId('count').textContent = state.shown.length === rows.length
    ? plural(rows.length, 'row') : `${state.shown.length.toLocaleString('en')} of ${plural(rows.length, 'row')}`;
  byId('space').style.height = state.shown.length * rowHeight + 'px';
  byId('body').scrollTop = 0;
  drawRows(true);
}

// ---- the table: only what is in view is in the page ----
const rowHeight = 26;
const template = columns.map((column) => column.width).join(' ');
const width = columns.reduce((sum, column) => sum + 10 + parseInt(/\d+/.exec(column.width)[0], 10), 30) + 'px';
let drawnRange = '';

function drawRows(force) {
  const body = byId('body');
  const begin = Math.max(0, Math.floor(body.scrollTop / rowHeight) - 8);
  const end = Math.min(state.shown.length, Math.ceil((body.scrollTop + body.clientHeight) / rowHeight) + 8);
  const range = begin + '-' + end;
  if (!force && range === drawnRange) return;
  drawnRange = range;
  const drawnRows = [];
  for (let i = begin; i < end; ++i) drawnRows.push(drawRow(state.shown[i], i));
  byId('space').replaceChildren(...drawnRows);
}

function drawRow(row, place) {
  const names = ['row'];
  if (row === first) names.push('first-divergence');
  if (row === state.open) names.push('open');
  const cells = columns.map((column) => {
    const text = textOf(column, row);
    let kind = column.kind;
    if (kind === 'verdict') kind = differs(row) ? 'bad' : row.found.verdict === 'equal' ? 'good' : 'faint';
    if (kind === 'path' && !comparison && notFinite(row)) kind = 'path bad';
    return element('div', { class: kind, role: 'gridcell', title: text }, text);
  });
  const node = element('div', { class: names.join(' '), role: 'row', 'data-index': row.index, onclick: () => open(row) }, ...cells);
  node.style.top = place * rowHeight + 'px';
  node.style.gridTemplateColumns = template;
  return node;
}

function drawHead() {
  byId('head').style.gridTemplateColumns = template;
  byId('head').style.minWidth = byId('body').style.minWidth = width;
  byId('head').replaceChildren(...columns.map((column) => {
    const isSorted = state.sort === column;
    return element('div', { role: 'columnheader', class: column.kind === 'number' ? 'number' : null,
      'aria-sort': isSorted ? (state.down ? 'descending' : 'ascending') : null },
      element('button', { type: 'button', onclick: () => sortBy(column) }, column.title + (isSorted ? (state.down ? ' ↓' : ' ↑') : '')));
  }));
}

function sortBy(column) {
  const startsDown = column.kind === 'number';
  if (state.sort !== column) [state.sort, state.down] = [column, startsDown];
  else if (state.down === startsDown) state.down = !state.down;
  else state.sort = null;
  drawHead();
  refresh();
}

function reveal(row) {
  let place = state.shown.indexOf(row);
  if (place < 0) {
    byId('filter').value = '';
    byId('verdict').value = byId('step').value = 'all';
    setPrefix(null);
    place = state.shown.indexOf(row);
  }
  const body = byId('body');
  const top = place * rowHeight;
  if (top < body.scrollTop || top + rowHeight > body.scrollTop + body.clientHeight)
    body.scrollTop = Math.max(0, top - body.clientHeight / 2);
  open(row);
}
