/**
 * What an input holds, counted without any knowledge of its format but the container's: events of a trace by phase and
 * category, rows of a database by table, rows of a CSV file, lists and numbers of a JSON file.
 */
import Database from 'better-sqlite3';
import { parse as parseCsv } from 'csv-parse/sync';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { addTo } from '../../src/containers/map-entry.js';
import { countPlanes } from './plane-count.js';
import { countSections } from './section-count.js';

/** Number of events by category: `X kernel`, a table's name, a file's name. */
export type PlainCount = Map<string, number>;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Strings of a trace may hold control characters and bare `nan`, which JSON does not allow. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // eslint-disable-next-line no-control-regex
    return JSON.parse(text.replaceAll(/[\u0000-\u001f]/g, ' ').replaceAll(/:\s*-?(?:nan|inf(?:inity)?)\b/gi, ': null'));
  }
}

const textOf = (value: unknown, none: string): string => (typeof value === 'string' ? value : none);

function countTrace(events: readonly unknown[]): PlainCount {
  const counts: PlainCount = new Map();
  for (const event of events) {
    if (!isObject(event)) addTo(counts, 'no object', 1);
    else addTo(counts, `${textOf(event['ph'], 'no phase')} ${nameOfEvent(event)}`, 1);
  }
  return counts;
}

/** Its category; of one without a category its keys, which tell kinds apart. */
function nameOfEvent(event: Record<string, unknown>): string {
  if (typeof event['cat'] === 'string') return event['cat'];
  if (event['ph'] !== 'X') return textOf(event['name'], '').replace(/[\s:/].*/, '');
  const args = event['args'];
  return isObject(args) ? `{${Object.keys(args).join()}}` : '';
}

const leaves = (value: unknown): number =>
  isObject(value) ? Object.values(value).reduce<number>((sum, part) => sum + leaves(part), 0) : 1;

/** Lists by length, other values by the number of values in them. */
function countObject(object: Record<string, unknown>): PlainCount {
  return new Map(
    Object.entries(object).map(([name, part]) => [name, Array.isArray(part) ? part.length : leaves(part)]),
  );
}

/** Where a second document begins; the text's length without one. */
function endOfDocument(text: string): number {
  try {
    JSON.parse(text);
  } catch (error) {
    const [, at] = /after JSON at position (\d+)/.exec(String(error)) ?? [];
    if (at !== undefined) return Number(at);
  }
  return text.length;
}

/** Values of reports, a report a line, without those that say of a group whether it failed. */
function countLines(text: string): PlainCount {
  const counts: PlainCount = new Map();
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    try {
      countFields(JSON.parse(line), counts);
    } catch {
      addTo(counts, 'line that is not JSON', 1);
    }
  }
  return counts;
}

function countFields(value: unknown, counts: PlainCount): void {
  if (!isObject(value)) addTo(counts, value === null ? 'null' : 'value', 1);
  else
    for (const [name, part] of Object.entries(value)) {
      if (name === 'error' && !isObject(part)) addTo(counts, part === '' ? 'no error' : 'error', 1);
      else countFields(part, counts);
    }
}

function countJson(text: string): PlainCount {
  const end = endOfDocument(text);
  const counts = countDocument(parseJson(text.slice(0, end)));
  if (end < text.length) counts.set('second document', 1);
  return counts;
}

function countDocument(document: unknown): PlainCount {
  if (Array.isArray(document)) return countTrace(document);
  if (!isObject(document)) throw new Error('JSON of a kind that is not counted');
  const { traceEvents, 'rocprofiler-sdk-tool': processes } = document;
  if (Array.isArray(processes)) return countProcesses(processes);
  return Array.isArray(traceEvents) ? countTrace(traceEvents) : countObject(document);
}

/** Lists of processes by length, those of records without the name of the section. */
function countProcesses(processes: readonly unknown[]): PlainCount {
  const counts: PlainCount = new Map();
  const lists = (prefix: string, object: unknown): void => {
    for (const [name, part] of isObject(object) ? Object.entries(object) : [])
      if (Array.isArray(part)) addTo(counts, prefix + name, part.length);
      else lists(name.endsWith('_records') ? '' : `${name}.`, part);
  };
  for (const process of processes) lists('', process);
  return counts;
}

function countDatabase(path: string): PlainCount {
  const database = new Database(path, { readonly: true });
  try {
    const counts: PlainCount = new Map();
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").pluck().all();
    for (const table of tables as string[]) {
      const columns = database.pragma(`table_info("${table}")`) as { name: string }[];
      // Tables whose rows are of several kinds.
      const ofKinds = table === 'PYTORCH_API' ? 'type' : 'eventType';
      const kind = columns.some(({ name }) => name === ofKinds) ? `' ' || ${ofKinds}` : "''";
      const rows = database.prepare(`SELECT ${kind}, count(*) FROM "${table}" GROUP BY 1`).raw().all();
      for (const [suffix, n] of rows as [string, number][]) counts.set(table + suffix, n);
    }
    return counts;
  } finally {
    database.close();
  }
}

/** @param path a file, or a folder whose files make up a profile */
export function plainCount(path: string, isFolder: boolean): PlainCount {
  if (isFolder) return countFolder(path);
  const bytes = readFileSync(path);
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const plain = isGzip ? gunzipSync(bytes) : bytes;
  if (plain.subarray(0, 15).toString('latin1') === 'SQLite format 3') return countDatabase(path);
  if (path.endsWith('.ntff')) return countSections(path);
  if (path.endsWith('.xplane.pb')) return countPlanes(path);
  const text = plain.toString('utf8');
  return path.endsWith('.jsonl') ? countLines(text) : countJson(text);
}

/** Bytes of the structures of Ascend's raw data by the kind of file; a file of the framework has rows of a length of their own. */
const RAW_BYTES: readonly (readonly [kind: RegExp, bytes: number])[] = [
  [/^api_event\.data/, 40],
  [/^compact\./, 64],
  [/^additional\.(?!hash_dic|type_info_dic)/, 256],
  [/^(stars_soc|hwts)\.data/, 64],
  [/^ts_track\.data/, 40],
  [/^ffts_profile\.data/, 128],
  [/^lpmFreqConv\.data/, 888],
  [/^torch\.python_tracer_func/, 33],
  [/^torch\.gc_record/, 24],
];

/** Rows of raw data by the kind of file; those with a start and an end, or a call and a return, by which they are. */
export function countRaw(info: string): PlainCount {
  const counts: PlainCount = new Map();
  const prof = dirname(dirname(info));
  const folders = [join(prof, '..', 'FRAMEWORK'), ...readdirSync(prof).map((part) => join(prof, part, 'data'))];
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true }).map((file) => join(folder, file.name)),
  );
  for (const path of files) {
    const kind = basename(path)
      .replace(/^(?:un)?aging\.|\.slice_\d+$/g, '')
      .replace(/\.data\.\d+$/, '.data');
    const bytes = readFileSync(path);
    const size = RAW_BYTES.find(([kinds]) => kinds.test(kind))?.[1];
    if (size !== undefined) {
      for (let at = 0; at + size <= bytes.length; at += size) addTo(counts, rawCategory(kind, bytes, at), 1);
    } else if (kind.startsWith('torch.')) {
      for (let at = 0; at + 6 <= bytes.length; at += 6 + bytes.readUInt32LE(at + 2)) addTo(counts, kind, 1);
    } else addTo(counts, kind, 1);
  }
  return counts;
}

function rawCategory(kind: string, bytes: Buffer, at: number): string {
  if (kind === 'stars_soc.data') return `${kind} ${bytes.readUInt16LE(at) & 63}`;
  if (kind === 'hwts.data') return `${kind} ${bytes.readUInt8(at) & 7}`;
  return kind === 'torch.python_tracer_func' ? `${kind} ${bytes.readUInt8(at + 32)}` : kind;
}

function countFolder(folder: string): PlainCount {
  const counts: PlainCount = new Map();
  for (const file of readdirSync(folder).sort()) {
    const path = join(folder, file);
    if (file.endsWith('.csv'))
      counts.set(basename(file), parseCsv(readFileSync(path), { relax_column_count: true, bom: true }).length - 1);
    else if (file === 'trace_view.json')
      for (const [category, n] of countJson(readFileSync(path, 'utf8'))) counts.set(category, n);
  }
  return counts;
}
