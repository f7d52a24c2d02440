// The tree, and the curve over all tensors.
// ---- the tree ----
const stepsOf = (row) => {
  if (!isRecording) return row.path.startsWith('/') ? row.path.slice(1).split('/') : row.path.split('.');
  const slash = row.path.indexOf('/', row.record.name.length);
  const inside = slash < 0 ? [] : row.path.slice(slash + 1).split('/');
  return [...row.record.name.split('.'), ...inside];
};
const newNode = (name) => ({ name, children: new Map(), rows: new Set(), bytes: 0, isBad: false });
const root = newNode('');
for (const row of rows) {
  let node = root;
  for (const step of [...stepsOf(row)]) {
    if (!node.children.has(step)) node.children.set(step, newNode(step));
    node = node.children.get(step);
    node.rows.add(row);
    node.bytes += sizeOf(row);
    node.isBad = node.isBad || isBad(row);
  }
}
const mostChildren = 500;
function drawNodes(parent, node, level) {
  let shown = 0;
  for (const child of node.children.values()) {
    if (++shown > mostChildren) {
      parent.append(element('div', { class: 'node faint' }, `… ${node.children.size - mostChildren} more: use the filter`));
      break;
    }
    const below = element('div', { role: 'group', hidden: '' });
    const isLeaf = child.children.size === 0;
    const twist = element('button', { type: 'button', class: 'twist', tabindex: isLeaf ? '-1' : '0', 'aria-label': 'Expand' }, isLeaf ? '·' : '▸');
    const toggle = () => {
      if (isLeaf) return;
      if (!below.childElementCount) drawNodes(below, child, level + 1);
      below.hidden = !below.hidden;
      twist.textContent = below.hidden ? '▸' : '▾';
    };
    twist.addEventListener('click', toggle);
    const name = element('button', { type: 'button', class: 'name' + (child.isBad ? ' bad' : ''), title: printable(child.name),
      onclick: () => { setPrefix(child); if (below.hidden) toggle(); } }, printable(child.name) || '(empty)');
    const line = element('div', { class: 'node', role: 'treeitem' }, twist, name, element('span', { class: 'size' }, bytes(child.bytes)));
    line.style.paddingLeft = level * 14 + 'px';
    parent.append(line, below);
    if (node.children.size === 1) toggle();
  }
}
function setPrefix(node) {
  state.prefix = node;
  byId('prefix').hidden = node === null;
  byId('prefix').textContent = node === null ? '' : `in ${printable(node.name) || '(empty)'} ×`;
  refresh();
}

// ---- the curve ----
const curveValue = (row) => (comparison ? relativeL2(row.found) : row.a && row.a.standard_deviation);
function drawChart() {
  const points = rows.map((row, x) => ({ row, x, value: curveValue(row) })).filter((point) => point.value !== null && point.value > 0);
  const figure = byId('chart');
  figure.hidden = rows.length < 3 || (comparison ? points.length === 0 : points.length < 3);
  if (figure.hidden) return;
  byId('chart-title').textContent = (comparison ? 'Relative L2 error' : 'Standard deviation') +
    (isRecording ? ', in the order of the calls' : ', in the order of the structure');
  const plot = byId('chart-plot');
  const w = plot.clientWidth, h = plot.clientHeight;
  const left = 44, right = 8, top = 14, bottom = 8;
  const logs = points.map((point) => Math.log10(point.value));
  const low = Math.floor(Math.min(...spread(logs))), high = Math.max(low + 1, Math.ceil(Math.max(...spread(logs))));
  const x = (i) => left + (rows.length === 1 ? 0 : (i / (rows.length - 1)) * (w - left - right));
  const y = (log) => top + ((high - log) / (high - low)) * (h - top - bottom);
  const svg = drawn('svg', { viewBox: `0 0 ${w} ${h}`, role: 'img', 'aria-label': 'Curve' });
  const stride = Math.ceil((high - low) / 5);
  for (let decade = low; decade <= high; decade += stride)
    svg.append(drawn('line', { class: 'grid', x1: left, x2: w - right, y1: y(decade), y2: y(decade) }),
      drawn('text', { x: left - 6, y: y(decade) + 3, 'text-anchor': 'end' }, '1e' + decade));
  if (isRecording) rows.forEach((row, i) => {
    if (i && row.record.step !== rows[i - 1].record.step && rows.length / i < 2000)
      svg.append(drawn('line', { class: 'step', x1: x(i - 0.5), x2: x(i - 0.5), y1: top, y2: h - bottom }));
  });
  // No more points than pixels: of those in one place the largest.
  const cells = new Map();
  points.forEach((point, i) => {
    const cell = Math.round(x(point.x));
    if (!cells.has(cell) || logs[i] > cells.get(cell).log) cells.set(cell, { log: logs[i], point });
  });
  const shown = [...cells.values()];
  svg.append(drawn('polyline', { class: 'curve', points: shown.map(({ log, point }) => `${x(point.x).toFixed(1)},${y(log).toFixed(1)}`).join(' ') }));
  if (shown.length <= 300) for (const { log, point } of shown)
    svg.append(drawn('circle', { class: 'dot' + (isBad(point.row) ? ' bad' : ''), cx: x(point.x), cy: y(log), r: point.row.found && point.row.found.makes_error ? 4 : 2.5 }));
  if (first) {
    const at = x(first.index);
    const isRight = at > w * 0.75;
    svg.append(drawn('line', { class: 'first', x1: at, x2: at, y1: 2, y2: h - bottom }),
      drawn('text', { class: 'first-text', x: at + (isRight ? -5 : 5), y: 10, 'text-anchor': isRight ? 'end' : 'start' }, 'first divergence: ' + printable(first.path)));
  }
  const cursor = drawn('line', { class: 'cursor', y1: top, y2: h - bottom, visibility: 'hidden' });
  svg.append(cursor);
  const nearest = (event) => {
    const wanted = ((event.clientX - svg.getBoundingClientRect().left - left) / (w - left - right)) * (rows.length - 1);
    return shown.reduce((best, one) => (Math.abs(one.point.x - wanted) < Math.abs(best.point.x - wanted) ? one : best)).point;
  };
  svg.addEventListener('mousemove', (event) => {
    const point = nearest(event);
    cursor.setAttribute('x1', x(point.x));
    cursor.setAttribute('x2', x(point.x));
    cursor.setAttribute('visibility', 'visible');
    byId('chart-readout').textContent = (point.row.record ? `step ${point.row.record.step}  ` : '') + `${printable(point.row.path)}: ${short(point.value)}`;
  });
  svg.addEventListener('mouseleave', () => { cursor.setAttribute('visibility', 'hidden'); byId('chart-readout').textContent = ''; });
  svg.addEventListener('click', (event) => reveal(nearest(event).row));
  plot.replaceChildren(svg);
}
// Smallest and largest: too many numbers for the arguments of one call.
const spread = (numbers) => numbers.reduce(([low, high], one) => [Math.min(low, one), Math.max(high, one)], [Infinity, -Infinity]);
