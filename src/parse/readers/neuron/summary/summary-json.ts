/**
 * summary-json in its three forms: metrics by node (`{"n_1f…": {…}}`), in a list (`{"Summary": [{…}]}`), or at the top
 * level. Other members (somebody's remarks) are ignored.
 */
import { UserError } from '../../../../record/errors.js';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { isJsonObject, type JsonObject } from '../../../json/json-value.js';
import { areMetrics } from './known-metrics.js';
import type { MetricValue, SummaryNode } from './summary-records.js';

/** The name of the list that some tools wrap nodes in. */
const LIST = 'Summary';

/** Known metrics at the depth of one of the forms; a list other than `Summary` belongs to the tool's full profile. */
export function isSummaryJson(text: string): boolean {
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
  /** Names from the root, `[` for a list's element; its own last. */
  readonly path: readonly string[];
  /** Bracket that opens its value, if that is an object or a list. */
  readonly opens: '{' | '[' | null;
}

/** Names of members in the first part of a JSON text, the outermost three levels. */
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

/** @throws UserError when it is no JSON, or has no known metric */
export function readSummaryJson(text: string, file: string, diagnostics: Diagnostics): SummaryNode[] {
  const value = parse(text.replace(/^\ufeff/, ''), file, diagnostics);
  const nodes = isJsonObject(value) ? nodesOf(value) : [];
  if (!nodes.some(({ metrics }) => areMetrics(metrics.map(([name]) => name)))) {
    throw new UserError('is JSON without any known metric of a summary', {
      where: file,
      hint: 'write it by: neuron-profile view --output-format summary-json',
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

/** Nodes are about one level deep. */
const DEEPEST = 16;

/** Metrics of a node; nested ones are named by their path. */
function* metricsOf(fields: object, path: string, depth: number): Generator<[string, MetricValue]> {
  for (const [key, value] of Object.entries(fields) as [string, unknown][]) {
    const name = `${path}${key}`;
    if (typeof value === 'object' && value !== null) {
      if (depth < DEEPEST) yield* metricsOf(value, `${name}.`, depth + 1);
    } else if (!(depth === 0 && name.startsWith('_'))) yield [name, value as MetricValue];
  }
}

/** Parses JSON, accepting the NaN and Inf that Go and Python write. */
function parse(text: string, file: string, diagnostics: Diagnostics): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Parsed again below with null in place of such numbers.
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
    throw new UserError(isCut ? 'is JSON that is cut off' : 'is no JSON', { where: file, hint: 'copy it again' });
  }
}
