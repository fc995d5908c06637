/**
 * docs/schemas: a JSON Schema (2020-12) for the document of each answer. Those of rows are made from tables of columns,
 * those of documents from their types.
 */
import { join } from 'node:path';
import { createGenerator } from 'ts-json-schema-generator';
import { MEASURED_COLUMNS } from '../../src/prof/overlap/overlap.js';
import { AGGREGATES } from '../../src/prof/by/aggregates.js';
import { HOST_TABLES } from '../../src/prof/by/host/host-table.js';
import { HOST_COLUMNS } from '../../src/prof/by/host/host-table-columns.js';
import { whereColumn } from '../../src/prof/by/grouping.js';
import { COLUMNS } from '../../src/prof/columns/columns.js';
import { DIFF_COLUMNS } from '../../src/prof/diff/diff-columns.js';
import { TREE_COLUMNS } from '../../src/prof/diff/tree/tree-columns.js';
import { MONITOR_COLUMNS } from '../../src/prof/neuron/monitor/monitor-columns.js';
import { STAT_COLUMNS } from '../../src/prof/neuron/monitor/monitor-stats.js';
import { SCHEMA_COLUMNS } from '../../src/prof/query/sql/sql-table.js';
import { POINT_COLUMNS, QUEUE_COLUMNS } from '../../src/prof/queues/queues.js';
import { RANK_TABLES } from '../../src/prof/ranks/tables/tables.js';
import { EXPLAIN_COLUMN } from '../../src/prof/report/explain.js';
import { SEQUENCE_COLUMNS } from '../../src/prof/sequences/sequences.js';
import { SAMPLED_STACK_COLUMNS, STACK_COLUMNS } from '../../src/prof/stacks/stack-sums.js';
import { REGION_COLUMNS } from '../../src/prof/steps/region-columns.js';
import { SERVING_STEP_COLUMNS, STEP_COLUMNS } from '../../src/prof/steps/step-columns.js';
import { TERM_COLUMNS } from '../../src/cli/commands/terms.js';
import { schemaId } from '../../src/cli/answer-document.js';
import type { ColumnShape } from '../../src/table/column.js';
import type { SchemaTypes } from './schema-types.js';

type Schema = Readonly<Record<string, unknown>>;

/** A type as the generator describes it, and the types to which it refers. */
interface Described {
  readonly schema: Schema;
  readonly definitions: Readonly<Record<string, Schema>>;
}

/** Made once, because the generator reads the sources of all types, which takes seconds. */
let described: Described | null = null;

function describedIn(root: string): Described {
  const type = 'SchemaTypes';
  const path = join(root, 'docs/pages/schema-types.ts');
  const options = { path, tsconfig: join(root, 'tsconfig.json'), type, skipTypeCheck: true, topRef: false } as const;
  const made = renamed(createGenerator({ ...options, expose: 'export' }).createSchema(type)) as Schema;
  const { definitions = {}, ...schema } = made as { definitions?: Described['definitions'] };
  return { schema, definitions };
}

/** Converts a schema from draft 7 to 2020-12, and names of definitions to plain ones: `Pick<A,"b">` to `Pick_A_b`. */
function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]: [string, unknown]) => {
      if (key === '$ref')
        return [key, `#/$defs/${plain(decodeURIComponent(String(child)).replace('#/definitions/', ''))}`];
      if (key === 'items' && Array.isArray(child)) return ['prefixItems', renamed(child)];
      if (key !== 'definitions') return [key, renamed(child)];
      const names = Object.keys(child as object).map(plain);
      const unstable = names.find((name) => /\d{6}/.test(name));
      if (unstable !== undefined) throw new Error(`a type of a schema would be called ${unstable}: give it a name`);
      const twice = names.find((name, index) => names.indexOf(name) !== index);
      if (twice !== undefined)
        throw new Error(`two types of a schema would both be called ${twice}: give one of them another name`);
      return [key, Object.fromEntries(Object.values(child as object).map((type, at) => [names[at], renamed(type)]))];
    }),
  );
}

/** The generator names a type without a name after its position in the sources, which changes with every edit. */
const plain = (name: string): string =>
  name
    .replace(/(?:def-)?(?:alias|interface|structure)(?:-\d+)+/g, '')
    .replace(/\W+/g, '_')
    .replace(/^_|_$/g, '');

/** The schema of one of the types. */
const typed =
  (name: keyof SchemaTypes) =>
  ({ schema }: Described): Schema =>
    (schema['properties'] as Record<string, Schema>)[name] ?? {};

/** A cell; null for unknown, in columns whose values may be unknown. */
function cell({ type, list, unit, doc, hasNumbers, known }: ColumnShape): Schema {
  const scalars = type !== 'str' ? ['number'] : hasNumbers === true ? ['number', 'string'] : ['string'];
  const items = { type: list === 'int' ? 'number' : ['number', 'string'] };
  const types = [...(list === undefined ? scalars : ['array']), ...(known === true ? [] : ['null'])];
  const [only] = types;
  const shape = { type: types.length === 1 ? only : types, ...(list === undefined ? {} : { items }) };
  return { ...shape, description: unit === undefined ? doc : `${doc} (${unit})` };
}

const cells = (columns: readonly ColumnShape[]): Record<string, Schema> =>
  Object.fromEntries(columns.map((column) => [column.key, cell(column)]));

/** Rows with some of the columns, because the user can choose them. */
const rows =
  (...columns: readonly ColumnShape[]) =>
  (): Schema => ({ type: 'object', properties: cells(columns), additionalProperties: false });

/** Rows that may have single counters of kernels. */
const kernelRows =
  (...columns: readonly ColumnShape[]) =>
  (): Schema => ({ ...rows(...columns)(), patternProperties: { '^counter:': { type: ['number', 'null'] } } });

/** Columns as keys of groups: a branch of a tree, or a group without one of the values, has null. */
const asKeys = (columns: readonly ColumnShape[]): ColumnShape[] =>
  columns.map(({ known: _known, ...column }) => column);

const textColumn = (key: string, doc: string): ColumnShape => ({ key, header: key, type: 'str', width: 0, doc });

const HOST_KEYS = Object.entries(HOST_TABLES).map(([key, { what }]) => textColumn(key, `name, of ${what}`));

/** The ranks of a job, with the rows of its tables. */
function ranks(all: Described): Schema {
  const schema = typed('ranks')(all);
  const { $ref: reference } = schema as { readonly $ref?: string };
  const name = reference?.replace('#/$defs/', '') ?? '';
  const whole = name === '' ? schema : (all.definitions[name] ?? {});
  const tables = Object.entries(RANK_TABLES).map(([table, { doc, columns }]) => [
    table,
    { type: 'array', description: doc, items: rows(...columns)() },
  ]);
  const properties = { ...(whole['properties'] as object), ...(Object.fromEntries(tables) as object) };
  // Option -t leaves out the other tables.
  const required = Object.keys(properties).filter((key) => !Object.hasOwn(RANK_TABLES, key));
  return { ...whole, properties, required };
}

/** The comparison, then its rows: totals, groups and conditions, or the nodes of a tree. */
function comparisons(all: Described): Schema {
  const kind = (names: readonly string[]): Schema => ({ enum: names });
  const figures = {
    type: 'object',
    properties: {
      row: kind(['total', 'key', 'condition']),
      keys: {
        type: 'object',
        description: 'values of the columns of --by',
        additionalProperties: { type: ['string', 'null'] },
      },
      condition: { type: 'string', description: 'as given to --fail-if' },
      met: { type: ['boolean', 'null'], description: 'null when the condition cannot be judged' },
      reason: { type: ['string', 'null'], description: 'why it cannot be judged' },
      verdict: { type: 'string' },
      where: {
        type: ['string', 'null'],
        description:
          'expression for --where that selects the kernels in both inputs; null where there is none, and for all',
      },
      ...cells(DIFF_COLUMNS),
    },
    required: ['row', 'verdict', 'where'],
    additionalProperties: false,
  };
  return { anyOf: [typed('comparison')(all), figures, rows(...TREE_COLUMNS)()] };
}

/** What is in `answer`, by schema, with a line about it. */
const ANSWERS: Readonly<Record<string, readonly [about: string, items: (all: Described) => Schema]>> = {
  kernels: ['dprof: a row for each kernel', kernelRows(...COLUMNS, EXPLAIN_COLUMN)],
  groups: [
    'dprof --by: a row for each group of kernels',
    kernelRows(...AGGREGATES, ...asKeys(COLUMNS), whereColumn([])),
  ],
  explanation: ['dprof --explain: how the numbers of a kernel were computed', typed('explanation')],
  host: ['dprof --by range, hostop, api: a row for each name of CPU events', rows(...HOST_COLUMNS, ...HOST_KEYS)],
  summary: ["dprof summary: a document for each profile, or the vendor's metrics of it", typed('summary')],
  steps: ['dprof steps: a row for each device and step', rows(...STEP_COLUMNS, ...SERVING_STEP_COLUMNS)],
  regions: ['dprof steps --by: a row for each device and region', rows(...REGION_COLUMNS)],
  'critical-path': ['dprof critical-path: a document for each step', typed('path')],
  ranks: ['dprof ranks: one document about the job', ranks],
  sequences: ['dprof sequences: a row for each sequence of kernels', rows(...SEQUENCE_COLUMNS)],
  overlap: ['dprof overlap: a document for each device', typed('overlap')],
  'overlap-measured': ['dprof overlap --measured: a row for each kind of work', rows(...MEASURED_COLUMNS)],
  queues: ['dprof queues: a row for each stream', rows(...QUEUE_COLUMNS)],
  'queue-points': ['dprof queues --points: a row for each point of time', rows(...POINT_COLUMNS)],
  stacks: ['dprof stacks -f json: a row for each stack', rows(...STACK_COLUMNS, ...SAMPLED_STACK_COLUMNS)],
  memory: ['dprof memory: a document for each device and the host', typed('memory')],
  diff: ['dprof diff: the comparison, then its rows', comparisons],
  check: ['dprof check: a document for each profile', typed('check')],
  advise: ['dprof advise: verdicts, findings, and with --all rules without a finding', typed('advice')],
  terms: ['dprof terms: a row for each term', rows(...TERM_COLUMNS)],
  monitor: ['dprof monitor: rows of each report', rows(...MONITOR_COLUMNS)],
  'monitor-stats': ['dprof monitor --stats: a row for each metric', rows(...STAT_COLUMNS)],
  sql: ["dprof sql: a row for each row of the query's result", () => ({ type: 'object', additionalProperties: true })],
  'sql-tables': ['dprof sql --schema: a row for each column', rows(...SCHEMA_COLUMNS)],
};

const TIME = { type: ['number', 'null'], description: 'ns of profile time; null for no limit' };
const WINDOW = {
  type: ['object', 'null'],
  description: 'the time chosen with --from, --to or --range',
  properties: {
    from: TIME,
    to: TIME,
    cut: { type: 'number', description: 'pieces of work that an edge cuts: only the part inside counts' },
    range: { type: 'string', description: 'the text of --range' },
    number: { type: ['number', 'null'], description: 'number of the range among those with that text' },
    profiles: {
      type: 'array',
      items: {
        type: 'object',
        properties: { profile: { type: 'number' }, from: TIME, to: TIME },
        required: ['profile', 'from', 'to'],
        additionalProperties: false,
      },
    },
    base: { type: 'object', description: 'in a comparison, the time of each side' },
    new: { type: 'object' },
  },
  additionalProperties: false,
};

/** The definitions to which a schema refers, directly or through others. */
function usedBy(schema: unknown, definitions: Described['definitions'], used = new Map<string, Schema>()) {
  for (const [, name = ''] of JSON.stringify(schema).matchAll(/"#\/\$defs\/(\w+)"/g)) {
    const definition = definitions[name];
    if (definition === undefined || used.has(name)) continue;
    used.set(name, definition);
    usedBy(definition, definitions, used);
  }
  return used;
}

function schemaFile(name: string, about: string, items: (all: Described) => Schema, all: Described): string {
  const list = (element: Schema, description: string): Schema => ({ type: 'array', description, items: element });
  const properties = {
    schema: { const: schemaId(name) },
    tool: { type: 'string' },
    command: { type: 'array', items: { type: 'string' } },
    inputs: list(typed('input')(all), 'the profiles that were read'),
    answer: list(items(all), about),
    window: WINDOW,
    doubts: list(typed('doubt')(all), 'what readers lost, and what may be wrong'),
    cannot: list(typed('limit')(all), 'what could not be computed'),
    leftOut: { anyOf: [typed('leftOut')(all), { type: 'null' }] },
  };
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:${schemaId(name).replaceAll('/', ':')}`,
    title: about,
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
  const used = [...usedBy(schema, all.definitions)].sort(([a], [b]) => (a < b ? -1 : 1));
  const whole = used.length === 0 ? schema : { ...schema, $defs: Object.fromEntries(used) };
  return `${JSON.stringify(whole, null, 1)}\n`;
}

/** The schema of each answer, by the path of its file. @param root the folder of the repository */
export const schemaPages = (root: string): Record<string, () => string> =>
  Object.fromEntries(
    Object.entries(ANSWERS).map(([name, [about, items]]) => [
      `docs/schemas/${name}.json`,
      () => schemaFile(name, about, items, (described ??= describedIn(root))),
    ]),
  );
