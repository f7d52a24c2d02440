// The top of the page, and what people do.
// ---- the top ----
function drawTop() {
  const names = [data.a, data.b].filter(Boolean).map((side) => printable(side.name));
  document.title = names.join(' and ') + ' · safestructures report';
  const title = names.flatMap((name, i) => (i ? [element('span', { class: 'versus' }, ' against '), name] : [name]));
  if (comparison) title.push(' ', element('span', { class: 'badge ' + (comparison.equal ? 'good' : 'bad') },
    comparison.equal ? 'equal within tolerance' : comparison.differences ? plural(comparison.differences, 'difference') : 'nothing was compared'));
  byId('title').append(...title);
  const card = (label, value, kind, action) => byId('cards').append(
    element(action ? 'button' : 'div', { class: 'card ' + (kind || ''), type: action ? 'button' : null, onclick: action || (() => {}) },
      element('span', { class: 'label' }, label), element('span', { class: 'value', title: value }, value)));
  const sum = (side, get) => side.tensors.reduce((all, one) => all + get(one), 0);
  card(isRecording ? 'tensors in records' : 'tensors', [data.a, data.b].filter(Boolean).map((side) => short(side.tensors.length)).join(' and '));
  card('size', [data.a, data.b].filter(Boolean).map((side) => bytes(sum(side, (one) => one.bytes))).join(' and '));
  card('numbers', short(sum(data.a, (one) => one.count)));
  const bad = [data.a, data.b].filter(Boolean).map((side) => sum(side, (one) => one.nan + infinite(one)));
  card('NaN and infinite', bad.map(short).join(' and '), bad.some(Boolean) ? 'bad' : 'good');
  if (comparison) {
    const covered = comparison.coverage;
    card('numbers compared', `${short(covered.compared_elements)} of ${short(covered.elements)}`);
    if (covered.only_a + covered.only_b) card('only in a, in b', `${covered.only_a}, ${covered.only_b}`, 'bad');
    if (covered.statistics) card('by statistics only', short(covered.statistics));
    if (covered.nothing) card('nothing to compare', short(covered.nothing));
    if (covered.values) card('other values compared', short(covered.values));
    if (covered.without_noise) card('without noise floor', short(covered.without_noise));
    if (covered.filtered) card('left out by the filter', short(covered.filtered));
    if (worst) card('worst', place(worst), 'bad', () => reveal(worst));
  }
  const notes = [data.a, data.b].filter(Boolean).flatMap((side) => side.notes.map((note) => `${side.name}: ${note}`));
  if (comparison) {
    for (const note of comparison.notes) notes.push(note);
    for (const one of comparison.suggestions) notes.push(`maybe the same: ${one.from} = ${one.to} (${one.reason})`);
  }
  byId('notes').append(...notes.map((note) => element('div', {}, printable(note))));
}

function fillTools() {
  const choice = (value, text) => element('option', { value }, text);
  const kinds = comparison ? [...new Set(rows.map((row) => row.found.verdict))] : [];
  byId('verdict').append(choice('all', 'all rows'), choice('bad', comparison ? 'differences' : 'with NaN or Inf'),
    ...kinds.map((kind) => choice(kind, 'only: ' + kind)));
  const steps = isRecording ? [...new Set(rows.map((row) => row.record.step))] : [];
  byId('step').append(choice('all', 'all steps'), ...steps.slice(0, 1000).map((step) => choice(step, 'step ' + step)));
  byId('step').hidden = steps.length < 2;
  byId('filter').addEventListener('input', refresh);
  byId('verdict').addEventListener('change', refresh);
  byId('step').addEventListener('change', refresh);
  byId('prefix').addEventListener('click', () => setPrefix(null));
}

function onKey(event) {
  const isTyping = ['INPUT', 'SELECT'].includes(event.target.tagName);
  if (event.key === '/' && !isTyping) { event.preventDefault(); byId('filter').focus(); }
  if (event.key === 'Escape') close();
  const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!move || isTyping || !state.shown.length) return;
  event.preventDefault();
  const place = state.shown.indexOf(state.open);
  reveal(state.shown[Math.min(state.shown.length - 1, Math.max(0, place < 0 ? 0 : place + move))]);
}

drawTop();
drawBegin();
fillTools();
drawHead();
drawNodes(byId('tree'), root, 0);
drawChart();
refresh();
byId('body').addEventListener('scroll', () => drawRows(false));
document.addEventListener('keydown', onKey);
window.addEventListener('resize', () => { drawChart(); drawRows(true); });
document.documentElement.dataset.ready = Math.ceil(performance.now());  // For tests: milliseconds.
