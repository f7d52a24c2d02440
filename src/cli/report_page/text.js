// Everything that comes from the data goes into the page as text, never as markup.
const byId = (id) => document.getElementById(id);
// Gzip in base64: 10,000 pairs would be 16 MiB of JSON.
async function unpacked(text) {
  const characters = atob(text);
  const packed = new Uint8Array(characters.length);
  // 10,000 pairs are there after 0.57 s; with Uint8Array.from, which calls for each, after 1.00.
  for (let i = 0; i < packed.length; ++i) packed[i] = characters.charCodeAt(i);
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).json();
}
const data = await unpacked(byId('data').textContent).catch((error) => {
  byId('title').append(`This report cannot be unpacked (${error.message}): the file is damaged, or the browser is older than 2023.`);
  throw error;
});
const fill = (node, attributes, children) => {
  for (const [name, value] of Object.entries(attributes || {}))
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  node.append(...children.filter((child) => child !== null));
  return node;
};
const element = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const drawn = (tag, attributes, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

// ---- text ----
// What would hide, or turn the reading order of what stands beside it.
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]/gu;
const printable = (text) =>
  String(text).replace(unsafe, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
const short = (value) => {
  if (value === null || value === undefined) return '–';
  if (typeof value !== 'number') return printable(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return value.toLocaleString('en');
  const size = Math.abs(value);
  return size >= 1e-3 && size < 1e5 ? value.toPrecision(4) : value.toExponential(2);
};
const bytes = (value) => {
  if (value === null || value === undefined) return '–';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let unit = 0;
  for (; value >= 1023.95 && unit + 1 < units.length; ++unit) value /= 1024;
  return (unit ? value.toFixed(1) : value) + ' ' + units[unit];
};
const plural = (count, noun) => count.toLocaleString('en') + ' ' + noun + (count === 1 ? '' : 's');

// ---- rows ----
const comparison = data.comparison;
const isRecording = data.a.recording;
const key = (path, record) => (record ? `${path}\0${record.step}\0${record.call}` : path);
// Of a record that was paired by its shape or its order the partner is another call.
const callInB = (record) => record.other_call ?? record.call;
const keyInB = (found) => key(found.other_path || found.path, found.record && {
  step: found.record.step, call: callInB(found.record) });
const index = (side) => new Map(side ? side.tensors.map((one) => [key(one.path, one.record), one]) : []);
const inA = index(data.a);
const inB = index(data.b);
const rowOf = (found, i) => ({
  index: i,
  path: found.path,
  record: found.record || null,
  a: (found.verdict !== 'only in b' && inA.get(key(found.path, found.record))) || null,
  b: (found.verdict !== 'only in a' && inB.get(keyInB(found))) || null,
  found: comparison ? found : null,
});
const rows = (comparison ? comparison.rows : data.a.tensors).map(rowOf);
const differs = (row) => row.found !== null && !['equal', 'close', 'nothing'].includes(row.found.verdict);
// Of statistics alone an estimate, which the table marks.
const relativeL2 = (found) =>
  found.statistics ? (found.statistics.same_hash ? 0 : found.statistics.relative_l2) : found.relative_l2 ?? null;
const isEstimate = (found) => Boolean(found.statistics) && !found.statistics.same_hash;
const infinite = (one) => one.positive_infinities + one.negative_infinities;
const notFinite = (row) => [row.a, row.b].some((one) => one && one.nan + infinite(one) > 0);
const isBad = (row) => (comparison ? differs(row) : notFinite(row));
const sizeOf = (row) => (row.a ? row.a.bytes : row.b ? row.b.bytes : 0);
const first = comparison && comparison.first_divergence
  ? rows.find((row) => differs(row) && key(row.path, row.record) ===
      key(comparison.first_divergence.path, comparison.first_divergence.record) &&
      row.found.verdict === comparison.first_divergence.verdict)
  : null;
const heatMaps = new Map(data.heat_maps.map((map) => [map.row, map]));
const worst = data.worst === null ? null : rows[data.worst];
