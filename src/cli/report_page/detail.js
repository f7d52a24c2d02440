// What is shown of one tensor.
// ---- one tensor ----
const tableOf = (head, lines) => element('table', {},
  head ? element('tr', {}, ...head) : null,
  ...lines.map((line) => element('tr', {}, ...line.map((cell) => element('td', {}, cell)))));

function open(row) {
  state.open = row;
  const panel = byId('detail');
  const sides = [['a', row.a], ['b', row.b]].filter(([, side]) => side);
  const lines = [['dtype', (one) => one.dtype], ['shape', (one) => `[${one.shape.join(', ')}]`], ['size', (one) => bytes(one.bytes)],
    ['elements', (one) => short(one.count)], ['min', (one) => short(one.min)], ['max', (one) => short(one.max)],
    ['mean', (one) => short(one.mean)], ['standard deviation', (one) => short(one.standard_deviation)],
    ['L2 norm', (one) => short(one.l2_norm)], ['zeros', (one) => short(one.zeros)], ['NaN', (one) => short(one.nan)],
    ['+Inf, -Inf', (one) => `${short(one.positive_infinities)}, ${short(one.negative_infinities)}`]];
  if (sides.some(([, side]) => side.kept && side.kept !== 'full')) lines.unshift(['kept', (one) => printable(one.kept)]);
  panel.replaceChildren(
    element('button', { type: 'button', class: 'close', 'aria-label': 'Close', onclick: close }, '×'),
    element('h2', {}, printable(row.path)),
    row.record ? element('div', { class: 'faint' }, `step ${row.record.step}, call ${row.record.call}` + (row === first ? ' · first divergence' : '')) : '',
    ...(row.found ? comparedParts(row) : []),
    ...(sides.length ? [element('h3', {}, 'Statistics'),
      tableOf(comparison ? [element('th', {}, ''), ...sides.map(([name]) => element('th', { class: name }, name))] : null,
        lines.map(([title, show]) => [title, ...sides.map(([, side]) => show(side))])),
      element('h3', {}, 'Histogram by power of two'), histogram(sides)] : []));
  panel.hidden = false;
  panel.scrollTop = 0;
  drawRows(true);
}

function close() {
  state.open = null;
  byId('detail').hidden = true;
  drawRows(true);
}

// Every number of the comparison, those that this page knows nothing of too.
function comparedParts(row) {
  const found = row.found;
  const parts = [element('div', {}, element('span', { class: 'badge ' + (differs(row) ? 'bad' : 'good') }, found.verdict), ' ',
    found.statistics ? element('span', { class: 'badge estimate' }, 'by statistics only') : null, ' ', printable(found.detail || ''))];
  if (found.other_path) parts.push(element('div', { class: 'faint' }, 'in b: ' + printable(found.other_path)));
  if (found.record && found.record.paired_by !== 'call')
    parts.push(element('div', { class: 'faint' }, `paired by its ${found.record.paired_by}, call ${callInB(found.record)} of b`));
  if (heatMaps.has(row.index)) parts.push(...heatMap(heatMaps.get(row.index)));
  parts.push(...suspicionParts(found), ...originParts(found), ...noiseParts(found.noise), ...statisticsParts(found.statistics));
  const hidden = ['path', 'other_path', 'verdict', 'detail', 'record', 'shape', 'growth', 'makes_error',
    'suspicions', 'origin', 'noise', 'statistics'];
  const lines = [];
  const add = (name, value) => {
    if (value === null || value === undefined || hidden.includes(name)) return;
    if (Array.isArray(value)) lines.push([name, value.map(short).join(', ')]);
    else if (typeof value === 'object') for (const [inner, one] of Object.entries(value)) add(`${name} ${inner}`, one);
    else lines.push([name.replace(/_/g, ' '), short(typeof value === 'boolean' ? (value ? 'yes' : 'no') : value)]);
  };
  for (const [name, value] of Object.entries(found)) add(name, value);
  if (lines.length) parts.push(element('h3', {}, 'Comparison'), tableOf(null, lines));
  return parts;
}

function histogram(sides) {
  const spans = sides.map(([, side]) => side.histogram);
  const exponents = spans.flat().map((bin) => bin[0]);
  const box = element('div', { class: 'histogram' });
  if (!exponents.length && !sides.some(([, side]) => side.zeros)) {
    box.append(element('div', { class: 'faint' }, 'no finite number'));
    return box;
  }
  const low = exponents.length ? Math.min(...exponents) : 0;
  const high = exponents.length ? Math.max(...exponents) : 0;
  const span = high - low + 1;
  const slots = 2 * span + 1;  // Negatives, zero, positives.
  const heights = sides.map(([, side]) => {
    const counts = new Array(slots).fill(0);
    for (const [exponent, negative, positive] of side.histogram) {
      counts[high - exponent] = negative;
      counts[span + 1 + exponent - low] = positive;
    }
    counts[span] = side.zeros;
    return counts;
  });
  const most = Math.max(...heights.flat(), 1);
  const w = 400, h = 118, base = h - 16;
  const step = w / slots;
  const svg = drawn('svg', { viewBox: `0 0 ${w} ${h}`, role: 'img', 'aria-label': 'Histogram' }, drawn('line', { class: 'grid', x1: 0, x2: w, y1: base, y2: base }));
  heights.forEach((counts, number) => counts.forEach((count, i) => {
    if (!count) return;
    const height = Math.max(1.5, (count / most) * (base - 4));
    const exponent = i < span ? high - i : low + i - span - 1;
    const range = i === span ? 'zero' : `${i < span ? '-' : ''}2^${exponent} to ${i < span ? '-' : ''}2^${exponent + 1}`;
    svg.append(drawn('rect', { class: 'bar-' + sides[number][0], x: i * step + step * 0.08, y: base - height, width: step * 0.84, height },
      drawn('title', {}, `${range}: ${count.toLocaleString('en')}`)));
  }));
  const label = (i, text) => svg.append(drawn('text', { x: (i + 0.5) * step, y: h - 4, 'text-anchor': i === 0 ? 'start' : i === slots - 1 ? 'end' : 'middle' }, text));
  label(span, '0');
  if (exponents.length) { label(0, `-2^${high + 1}`); label(slots - 1, `2^${high + 1}`); }
  box.append(svg);
  return box;
}

const ramp = [[27, 42, 107], [47, 127, 184], [86, 192, 141], [243, 224, 79], [224, 64, 47]];
function colourOf(share) {
  const place = Math.min(0.9999, Math.max(0, share)) * (ramp.length - 1);
  const at = Math.floor(place);
  return ramp[at].map((from, i) => Math.round(from + (ramp[at + 1][i] - from) * (place - at)));
}

// A cell is the largest |a - b| of its elements; -1 says that one side alone is no finite number.
function heatMap(map) {
  const canvas = element('canvas', { width: map.columns, height: map.rows, role: 'img', 'aria-label': 'Heat map' });
  canvas.style.height = Math.min(260, Math.max(24, Math.round((400 * map.rows) / map.columns))) + 'px';
  const most = Math.max(...map.cells, 0);
  const decades = 6;
  const context = canvas.getContext('2d');
  const image = context.createImageData(map.columns, map.rows);
  map.cells.forEach((cell, i) => {
    const share = cell > 0 && most > 0 ? 1 + Math.log10(cell / most) / decades : 0;
    const [r, g, b] = cell < 0 ? [255, 0, 255] : cell === 0 ? [128, 128, 128] : colourOf(share);
    image.data.set([r, g, b, cell === 0 ? 60 : 255], 4 * i);
  });
  context.putImageData(image, 0, 0);
  const usual = `largest |a − b| by place, ${map.shape.join(' × ')} as rows × columns`;
  const caption = element('div', { class: 'caption' }, usual);
  canvas.addEventListener('mousemove', (event) => {
    const box = canvas.getBoundingClientRect();
    const column = Math.min(map.columns - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * map.columns)));
    const line = Math.min(map.rows - 1, Math.max(0, Math.floor(((event.clientY - box.top) / box.height) * map.rows)));
    const cell = map.cells[line * map.columns + column];
    const from = (i, cells, size) => Math.floor((i * size) / cells);
    caption.textContent = `row ${from(line, map.rows, map.shape[0])}, column ${from(column, map.columns, map.shape[1])}: ` +
      (cell < 0 ? 'finite in only one' : short(cell));
  });
  canvas.addEventListener('mouseleave', () => { caption.textContent = usual; });
  return [element('h3', {}, 'Where it differs'), canvas, caption,
    element('div', { class: 'caption' }, short(most * 10 ** -decades), element('span', { class: 'legend' }), short(most))];
}
