// What the comparison concludes: where the error began, what went in, what is noise, what is suspected.
// ---- findings ----
const evidenceText = {
  recorded: 'recorded as its input',
  same_shape: 'a guess: recorded before it, with the same shape',
  other_shape: 'a weaker guess: recorded before it, with a different shape',
  none: 'unknown: nothing was recorded before it in its step and thread',
};
const withoutNumber = ['value', 'dtype', 'shape', 'size', 'kind'];
const isAlikeNonFinite = (found) =>
  Object.entries(found.non_finite).every(([name, count]) => name.endsWith('_both') || count === 0);
const isBesideZeros = (found) => found.snr_state === 'zero_reference' && isAlikeNonFinite(found);
const measured = (error, row) => (error !== null ? short(error)
  : row && withoutNumber.includes(row.found.verdict) ? `different ${row.found.verdict}`
    : row && isBesideZeros(row.found) ? 'not measurable, as b is zero' : 'NaN or infinite');
const cameIn = (origin) => (origin.input === null ? '–' : measured(origin.input_error, rows[origin.input_row]));
const times = (value) => (value >= 1000 ? value.toExponential(1) : Number(value.toPrecision(2))) + 'x';
const excess = (noise) => (noise.excess === null ? 'no noise' : times(noise.excess));
const place = (row) => (row.record ? `step ${row.record.step}  call ${row.record.call}  ` : '') + printable(row.path);
const linkTo = (row, text) =>
  element('button', { type: 'button', class: 'link', title: place(row), onclick: () => reveal(row) }, text);
const faultsOf = (row) => (row.found.suspicions || []).map((one) => printable(one.fault));

// Above all rows, so that it must stay small.
const mostCulprits = 100;
function drawBegin() {
  const box = byId('began');
  box.hidden = !first;
  if (!first) return;
  const faults = faultsOf(first);
  box.append(
    element('h2', {}, 'Where the differences begin'),
    element('div', { class: 'first-line' }, 'first divergence: ', linkTo(first, place(first)),
      faults.length ? element('span', { class: 'fault' }, faults.join(', ')) : null));
  if (!isRecording) return;
  const culprits = comparison.culprits;
  if (!culprits.length) {
    box.append(element('div', { class: 'faint' }, 'No layer makes an error: none is beyond its tolerance with more than twice the error of its input.'));
    return;
  }
  const titles = ['', 'makes an error', 'error out', 'error in', 'out/in', 'input', 'suspected', 'calls'];
  const line = (culprit, i) => {
    const row = rows[culprit.row];
    const origin = row.found.origin;
    const guess = origin.evidence === 'recorded' ? '' : ` (${evidenceText[origin.evidence]})`;
    return [i + 1 + '.', linkTo(row, printable(culprit.name)), measured(origin.error, row), cameIn(origin), outOverIn(row.found),
      (origin.input === null ? '' : printable(origin.input)) + guess, faultsOf(row).join(', '), short(culprit.calls)];
  };
  const table = tableOf(titles.map((title) => element('th', {}, title)), culprits.slice(0, mostCulprits).map(line));
  box.append(element('div', { class: 'culprits', tabindex: '0', role: 'group', 'aria-label': 'Layers that make an error' }, table,
    culprits.length > mostCulprits ? element('div', { class: 'faint' }, `… ${plural(culprits.length - mostCulprits, 'layer')} more`) : null));
}

// ---- of one row ----
function suspicionParts(found) {
  if (!found.suspicions) return [];
  const text = (one) => printable(one.evidence) +
    (one.explained === null ? '' : `; ${Number((100 * one.explained).toPrecision(4))} % of the squared difference`);
  return [element('h3', {}, 'Suspicions'),
    ...found.suspicions.map((one) => element('div', { class: 'suspicion' }, element('span', { class: 'fault' }, printable(one.fault)), ' ', text(one)))];
}

function originParts(found) {
  const origin = found.origin;
  if (!origin) return [];
  const input = origin.input === null ? 'none' : origin.input_row === null ? printable(origin.input)
    : linkTo(rows[origin.input_row], printable(origin.input));
  return [element('h3', {}, 'Input of this record'), tableOf(null, [
    ['input', input],
    ['how sure', evidenceText[origin.evidence] || printable(origin.evidence)],
    ['error of the input', cameIn(origin)],
    ['error of the record', measured(origin.error, { found })],
    ['out/in', outOverIn(found)],
    ['makes an error', found.makes_error ? 'yes' : 'no'],
    ['score', short(origin.score)],
    ['error over the largest before it', short(found.growth)],
  ])];
}

function noiseParts(noise) {
  if (!noise) return [];
  const isWithin = noise.excess !== null && noise.excess <= 1;
  return [element('h3', {}, 'Noise floor'), tableOf(null, [
    ['difference, relative to the noise allowed', excess(noise) + (noise.excess === null ? '' : isWithin ? ', within' : ', beyond')],
    ['floor, max absolute', short(noise.max_absolute)],
    ['floor, rmse', short(noise.rmse)],
    ['floor, relative L2', short(noise.relative_l2)],
    ['allowed multiple of the floor', short(noise.factor)],
    ['measured by', plural(noise.runs, 'further run') + (noise.precise ? ', in higher precision' : '')],
  ])];
}

function statisticsParts(found) {
  if (!found) return [];
  const about = (value, share) => (value === null ? '–' : `~${short(value)} ± ${Number((100 * share).toPrecision(2))} %`);
  const of = (name) => found[name].map(short).join(', ');
  return [element('h3', {}, 'By statistics only'),
    element('div', { class: 'faint' }, 'At least one side kept only statistics: ~ marks an estimate, and close says nothing about single numbers.'),
    tableOf(null, [
      ['same hash', found.same_hash === null ? '–' : found.same_hash ? 'yes' : 'no'],
      ['distance', about(found.distance, found.estimate_deviation)],
      ['relative L2', about(found.relative_l2, found.estimate_deviation)],
      ['cosine distance', about(found.cosine_distance, 2 * found.estimate_deviation)],
      ['norm ratio', short(found.norm_ratio)],
      ['histogram distance', short(found.histogram_distance)],
      ['quantile distance', short(found.quantile_distance)],
      ['norms', of('norm')], ['means', of('mean')], ['deviations', of('standard_deviation')], ['minima', of('min')], ['maxima', of('max')],
      ['rtol, atol', `${short(found.rtol)}, ${short(found.atol)}`],
    ])];
}
