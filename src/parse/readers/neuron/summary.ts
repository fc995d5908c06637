/** Summaries of neuron-profile. Source: its user guide, AWS's profile schema reference, and real summaries. */
import { readFileSync, statSync } from 'node:fs';
import { Diagnostics } from '../../../record/diagnostics.js';
import { UserError } from '../../../record/errors.js';
import type { ProfileLine, Labels, SampleRecord } from '../../../record/record.js';
import type { Probe, Reader, ReadOptions } from '../../reader.js';
import { isDecimal } from '../../../record/units.js';
import { isJsonObject, type JsonObject } from '../../json/json-value.js';
import { largest } from '../../../containers/element.js';
import { endRecord } from '../../trace/emit.js';
import { knownFacts, profileRecord, unitOfMetric } from './profile-record.js';

/** Name of the list in which some tools put the nodes. */
const LIST = 'Summary';

// Converts nodes of a summary to records, and lists the names by which a summary is recognised.

/** Names of metrics that only this format has. */
const ITS_OWN: readonly RegExp[] = [
  /^(?:tensor|vector|scalar|gpsimd|sync)_engine_(?:active_time|instruction_(?:count|time)|active_time_percent)$/,
  /^(?:static|software_dynamic|hardware_dynamic)_dma_/,
  /^dma_(?:active_|packet_|transfer_|queue_)/,
  /^(?:hbm|sbuf|psum)_(?:read|write)_/,
  /^(?:hfu|mfu|mbu)_[a-z_]+$/,
  /^(?:hardware|transpose|model)_flops$/,
  /^throttle_/,
  /^(?:neuroncore_cycle_count|mm_arithmetic_intensity|peak_flops_bandwidth_ratio|nc_idx|nd_idx)$/,
  /^inputs_and_weights_size|^spill_(?:save|reload)_bytes$/,
];

/** Names of metrics that other formats may have too. */
const COMMON = new Set([
  'total_time',
  'total_active_time',
  'total_active_time_percent',
  'event_count',
  'instance_type',
  'compiler_version',
  'runtime_version',
  'driver_version',
  'collectives_version',
  'profiler_version',
]);

/**
 * Whether names are those of a summary: at least one name that no other format has, or two names that other formats may
 * have. Source: the table Summary of AWS's profile schema reference, and real summaries.
 */
function areMetrics(names: Iterable<string>): boolean {
  let common = 0;
  for (const name of names) {
    if (ITS_OWN.some((pattern) => pattern.test(name))) return true;
    if (COMMON.has(name)) common++;
  }
  return common > 1;
}

type MetricValue = number | string | boolean | null;

/** The metrics of one core, rank or run. */
interface SummaryNode {
  /** Name given by the tool (`n_…`); null for a single node without a name. */
  readonly name: string | number | null;
  readonly metrics: readonly (readonly [name: string, value: MetricValue])[];
}

/** Facts of a profile line, and the metrics that contain them. */
const FACTS: readonly (readonly [fact: string, metric: string])[] = [
  ['instanceType', 'instance_type'],
  ['runtimeVersion', 'runtime_version'],
  ['driverVersion', 'driver_version'],
  ['collectivesVersion', 'collectives_version'],
  ['compilerVersion', 'compiler_version'],
];

function* summaryRecords(
  nodes: readonly SummaryNode[],
  format: string,
  options: ReadOptions,
  diagnostics: Diagnostics,
): Generator<ProfileLine> {
  const tool = common(nodes, 'profiler_version');
  const seconds = nodes
    .flatMap((node) => valueOf(node, 'total_time') ?? [])
    .filter((value) => typeof value === 'number');
  const longest = seconds.length === 0 ? null : largest(seconds);
  yield profileRecord(format, options, {
    tool: tool === null ? null : `neuron-profile ${tool}`,
    // The time is rounded to picoseconds, the precision of the text, and then down to whole ns. Otherwise rounding
    // errors could lose a nanosecond.
    dur: longest === null ? null : Math.floor(Math.round(longest * 1e12) / 1000),
    devices: [],
    facts: factsOf(nodes, longest),
  });
  const { profile } = options;
  let count = 0;
  for (const { name, metrics } of nodes) {
    const labels: Labels = { from: 'summary', ...(name === null ? undefined : { node: name }) };
    for (const [metric, value] of metrics) {
      count++;
      yield sample(profile, metric, value, labels);
    }
  }
  yield endRecord(profile, { sample: count }, diagnostics);
}

function sample(profile: number, metric: string, value: MetricValue, labels: Labels): SampleRecord {
  const number = typeof value === 'boolean' ? Number(value) : typeof value === 'number' ? value : null;
  return {
    type: 'sample',
    profile,
    start: null,
    device: null,
    metric,
    value: Number.isFinite(number) ? number : null,
    ...(typeof value === 'string' ? { text: value } : undefined),
    unit: typeof value === 'string' ? null : unitOfMetric(metric),
    labels,
  };
}

const factsOf = (nodes: readonly SummaryNode[], longest: number | null): Labels =>
  knownFacts({
    ...Object.fromEntries(FACTS.map(([fact, metric]) => [fact, common(nodes, metric)])),
    totalTimePs: longest === null || nodes.length > 1 ? null : Math.round(longest * 1e12),
  });

const valueOf = ({ metrics }: SummaryNode, metric: string): MetricValue | undefined =>
  metrics.find(([name]) => name === metric)?.[1];

/** The text of a metric, if all nodes that have it agree. */
function common(nodes: readonly SummaryNode[], metric: string): string | null {
  const texts = new Set(nodes.flatMap((node) => valueOf(node, metric) ?? []));
  const [text] = texts;
  return texts.size === 1 && typeof text === 'string' && text !== '' ? text : null;
}

/**
 * Whether the text has known metrics at the depth of one of the forms. A list whose name is not `Summary` belongs to
 * the tool's full profile.
 */
function isSummaryJson(text: string): boolean {
  const names = new Map<string, string[]>();
  for (const { path, opens } of namesOf(text)) {
    const [first = '', ...rest] = path;
    if (path.length === 1 && opens === '[' && first !== LIST) return false;
    const parent = [...path.slice(0, -1)].join('\0');
    const isMetric = path.length === 1 || (first === LIST ? rest.length === 2 && rest[0] === '[' : rest.length === 1);
    if (isMetric && opens === null) names.set(parent, [...(names.get(parent) ?? []), path.at(-1) ?? '']);
  }
  return [...names.values()].some(areMetrics);
}

interface MemberName {
  /** Names from the root to the member itself, with `[` for an element of a list. */
  readonly path: readonly string[];
  /** Bracket that opens its value, if that is an object or a list. */
  readonly opens: '{' | '[' | null;
}

/** Names of members in the first part of a JSON text, in its outer three levels. */
function* namesOf(text: string): Generator<MemberName> {
  const token = /"((?:[^"\\]|\\.)*)"(\s*:\s*([{[])?)?|[{}[\]]/gs;
  const path: string[] = [];
  const start = text.replace(/^\ufeff/, '').trimStart();
  if (!start.startsWith('{')) return;
  token.lastIndex = 1;
  for (let match; (match = token.exec(start)) !== null;) {
    const [whole, name = '', colon, opens] = match;
    if (whole === '}' || whole === ']') path.pop();
    else if (whole === '{' || whole === '[') path.push('[');
    else if (colon !== undefined) {
      const isNested = opens === '{' || opens === '[';
      if (path.length < 3) yield { path: [...path, name], opens: isNested ? opens : null };
      if (isNested) path.push(name);
    }
  }
}

/**
 * Reads summary-json in its three forms: metrics by node (`{"n_1f…": {…}}`), in a list (`{"Summary": [{…}]}`), or at the
 * top level. Other members, such as remarks of users, are ignored.
 * @throws UserError when it is not JSON, or has no known metric
 */
function readSummaryJson(text: string, file: string, diagnostics: Diagnostics): SummaryNode[] {
  const value = parse(text.replace(/^\ufeff/, ''), file, diagnostics);
  const nodes = isJsonObject(value) ? nodesOf(value) : [];
  if (!nodes.some(({ metrics }) => areMetrics(metrics.map(([name]) => name)))) {
    throw new UserError('is JSON without any known summary metric', {
      where: file,
      hint: 'write it with: neuron-explorer view --output-format summary-json',
    });
  }
  return nodes;
}

function nodesOf(value: JsonObject): SummaryNode[] {
  const list = value[LIST];
  if (Array.isArray(list)) {
    const elements = list.filter(isJsonObject);
    return elements.map((fields, i) => node(elements.length === 1 ? null : i, fields));
  }
  if (isJsonObject(list)) return [node(null, list)];
  const members = Object.entries(value);
  const isBare = areMetrics(members.flatMap(([name, member]) => (isJsonObject(member) ? [] : [name])));
  if (isBare) return [node(null, value)];
  return members.flatMap(([name, fields]) => (isJsonObject(fields) ? [node(name, fields)] : []));
}

const node = (name: string | number | null, fields: JsonObject): SummaryNode => ({
  name,
  metrics: [...metricsOf(fields, '', 0)],
});

/** Deeper objects are not read: nodes are about one level deep. */
const DEEPEST = 16;

/** Metrics of a node; nested ones are named by their paths. */
function* metricsOf(fields: object, path: string, depth: number): Generator<[string, MetricValue]> {
  for (const [key, value] of Object.entries(fields) as [string, unknown][]) {
    const name = `${path}${key}`;
    if (typeof value === 'object' && value !== null) {
      if (depth < DEEPEST) yield* metricsOf(value, `${name}.`, depth + 1);
    } else if (!(depth === 0 && name.startsWith('_'))) yield [name, value as MetricValue];
  }
}

/** Parses JSON, also with the NaN and Inf that Go and Python write. */
function parse(text: string, file: string, diagnostics: Diagnostics): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Parsed again below, with null instead of such numbers.
  }
  try {
    let replaced = 0;
    const repaired = text.replace(/"(?:[^"\\]|\\.)*"|[-+]?\b(?:NaN|Inf|Infinity)\b/gs, (token) => {
      if (token.startsWith('"')) return token;
      replaced++;
      return 'null';
    });
    const value: unknown = JSON.parse(repaired);
    diagnostics.count('not-json', replaced);
    return value;
  } catch {
    const isCut = !/\}\s*$/.test(text.slice(-100));
    throw new UserError(isCut ? 'is JSON that is cut off' : 'is not JSON', { where: file, hint: 'copy it again' });
  }
}

/** Pattern of a trimmed line. */
const LINE = /^([A-Za-z_][\w.]*)[ \t]+(\S.*)$/;

/** Matches values as the tool's web pages show them: scaled, rounded, with a unit. */
const SCALED = /^[-+]?\d[\d,.]*\s*(?:[munµμ]?s|%|[KMGTP]?i?B(?:\/s|ps)?|bytes|[KMGTP]?FLOP(?:s|S|\/s|S\/s)?)$/;

const TEXTS = /_(?:version|type)$/;

/** Number of lines that are examined for detection. */
const FIRST_LINES = 12;

/** Removes borders, which copied tables may have. */
const withoutBorders = (line: string): string => line.replace(/[|│]/g, ' ');

const linesOf = (text: string): string[] =>
  text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((line) => withoutBorders(line).trim())
    .filter((line) => /[^\s+=─-]/.test(line));

/** Whether the first lines are metrics. */
function isSummaryText(text: string): boolean {
  const lines = linesOf(text).slice(0, FIRST_LINES);
  const rows = lines.flatMap((line) => {
    const [, name, value] = LINE.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [{ name, value }];
  });
  // Prose may mention metrics, but has no values.
  const measured = rows.filter(({ name, value }) => isDecimal(value) || SCALED.test(value) || TEXTS.test(name));
  // One of the lines may be a heading.
  return rows.length >= lines.length - 1 && areMetrics(measured.map(({ name }) => name));
}

/**
 * Reads summary-text: one metric on each line, with name and value separated by blanks or tabs. A repeated metric begins
 * the next node.
 * @throws UserError for values that were scaled for display, or when there is no known metric
 */
function readSummaryText(text: string, file: string, diagnostics: Diagnostics): SummaryNode[] {
  const nodes: Map<string, MetricValue>[] = [];
  for (const line of linesOf(text)) {
    const [, name, value] = LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      diagnostics.count('bad-row');
      continue;
    }
    if (SCALED.test(value)) throw scaled(name, value, file);
    if (nodes.at(-1)?.has(name) !== false) nodes.push(new Map());
    nodes.at(-1)?.set(name, isDecimal(value) ? Number(value) : value);
  }
  if (!nodes.some((metrics) => areMetrics(metrics.keys()))) {
    throw new UserError('is text without any known summary metric', {
      where: file,
      hint: 'write it with: neuron-explorer view --output-format summary-text',
    });
  }
  return nodes.map((metrics, i) => ({ name: nodes.length === 1 ? null : i, metrics: [...metrics] }));
}

const scaled = (name: string, value: string, file: string): UserError =>
  new UserError(`is a table with rounded values, copied from the tool's pages: ${name} ${value}`, {
    where: file,
    hint: 'write exact values with: neuron-explorer view --output-format summary-text',
  });

export const neuronSummary: Reader = {
  id: 'neuron-summary',
  title: 'AWS Neuron summary (neuron-explorer view --output-format summary-json, summary-text)',
  reads: 'text',
  docs: {
    profiler: 'AWS Neuron',
    input: 'neuron-explorer summaries',
    made: ['`neuron-explorer view -n model.neff -s profile.ntff --output-format summary-json` (or `summary-text`)'],
    read: [
      'Every metric as a sample, for one or several nodes. Metrics that the tool calls percent are fractions from 0 to 1.',
    ],
  },
  sniff: ({ head }) => isSummary(head.toString('utf8')),
  read: (probe, options) => read(probe, options),
};

/** Size limit of a summary in bytes; a node takes about 5 KB. */
const LARGEST = 64 * 1024 * 1024;

const isJson = (text: string): boolean => /^\ufeff?\s*[{[]/.test(text);

const isSummary = (text: string): boolean => (isJson(text) ? isSummaryJson(text) : isSummaryText(wholeLines(text)));

/** The first part of a string without its last line, which may be incomplete. */
const wholeLines = (text: string): string => (text.includes('\n') ? text.slice(0, text.lastIndexOf('\n')) : text);

function* read({ path, file }: Probe, options: ReadOptions): Generator<ProfileLine> {
  if (statSync(path).size > LARGEST) throw new UserError('is too large to be a summary', { where: file });
  const text = readFileSync(path, 'utf8');
  const diagnostics = new Diagnostics();
  const nodes = (isJson(text) ? readSummaryJson : readSummaryText)(text, file, diagnostics);
  yield* summaryRecords(nodes, neuronSummary.id, options, diagnostics);
}
