/** Whether all that is in an input is in its records, or counted as not read. */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { addTo } from '../../src/containers/map-entry.js';
import type { DiagnosticName } from '../../src/record/diagnostics.js';
import type { EndRecord, ProfileLine, ProfileRecord } from '../../src/record/record.js';
import { packageFolder } from '../../src/cli/package-folder.js';
import { LEDGERS, type RecordEntry } from './ledgers.js';
import { countRaw, plainCount, type PlainCount } from './plain-count.js';

/** What `dparse --ranges` makes of an input. */
interface Reading {
  readonly header: ProfileRecord;
  readonly end: EndRecord;
  /** Records by type, ranges also by kind and samples by metric. */
  readonly records: ReadonlyMap<string, number>;
  /** Events that are not read, by kind. */
  readonly unread: ReadonlyMap<string, number>;
}

/** Events of an entry, and what has become of them. */
export interface Line {
  readonly what: string;
  readonly events: number;
  readonly records: number;
  /** Counted in diagnostics, or as of a kind that is not read. */
  readonly counted: number;
}

export interface Account {
  readonly format: string;
  readonly lines: readonly Line[];
  /** Events that are no records of their own. */
  readonly others: number;
  /** Categories that no entry names, with their events. */
  readonly unknown: readonly string[];
}

const MOST_OUTPUT = 2 ** 30;

/** @returns null for what dparse refuses */
function read(path: string): Reading | null {
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(packageFolder(), 'bin/dparse.js'), '-q', '--ranges', path],
    {
      encoding: 'utf8',
      maxBuffer: MOST_OUTPUT,
    },
  );
  if (status !== 0) return null;
  const records = new Map<string, number>();
  let header: ProfileRecord | null = null;
  let end: EndRecord | null = null;
  for (const text of stdout.split('\n')) {
    if (text === '') continue;
    const line = JSON.parse(text) as ProfileLine;
    if (line.type === 'profile') header = line;
    else if (line.type === 'end') end = line;
    else for (const name of namesOf(line)) addTo(records, name, 1);
  }
  if (header === null || end === null) return null;
  return { header, end, records, unread: kindsOf(header.facts?.['not_read']) };
}

function namesOf(line: ProfileLine): string[] {
  // Overhead of a process has no thread.
  const isOfDevice = line.type === 'range' && line.tid === null && line.kind !== 'overhead';
  if (line.type === 'range') return ['range', isOfDevice ? 'range:device' : `range:${line.kind}`];
  if (line.type !== 'sample') return [line.type];
  return [`sample:${line.metric}`, ...(line.metric === 'error' ? [] : ['sample:*'])];
}

/** `OSRT_API: 1101, PROFILER_OVERHEAD: 37`. */
const kindsOf = (fact: unknown): Map<string, number> =>
  new Map(
    (typeof fact === 'string' ? fact.split(', ') : []).map((kind) => {
      const at = kind.lastIndexOf(': ');
      return [kind.slice(0, at), Number(kind.slice(at + 2))] as const;
    }),
  );

/** Kinds that are not read stand for themselves, for a category with a phase or an event type, or for a task's type. */
const isOfKind = (category: string, kind: string): boolean =>
  category === kind ||
  category === `X ${kind}` ||
  kind === `${category.slice(2)} (phase ${category.slice(0, 1)})` ||
  (kind === 'no category (phase E)' && category.startsWith('E ')) ||
  (kind === 'marks of NVTX_EVENTS' && /^NVTX_EVENTS (34|65)$/.test(category));

/** @returns null for what dparse refuses, or for a format whose input has no events */
export function accountOf(path: string): Account | null {
  const reading = read(path);
  if (reading === null) return null;
  const { format, file } = reading.header;
  const isFolder = format === 'ascend-text';
  const ledger = LEDGERS[isFolder && file.endsWith('.csv') ? 'ascend-details' : format];
  if (ledger === undefined) return null;
  const counts =
    format === 'ascend-raw'
      ? countRaw(path)
      : plainCount(isFolder && !statSync(path).isDirectory() ? dirname(path) : path, isFolder);
  const left = new Map(counts);
  const unread = new Map(reading.unread);
  const notRead = takeUnread(left, unread);
  const lines = ledger.records.map((entry) => lineOf(entry, left, reading, unread));
  let others = 0;
  for (const [category, n] of [...left])
    if (ledger.others.some(({ events }) => events.test(category))) {
      others += n;
      left.delete(category);
    }
  return {
    format,
    lines: [...lines, ...notRead].filter(({ events, records }) => events > 0 || records > 0),
    others,
    unknown: [...left].filter(([, n]) => n > 0).map(([category, n]) => `${category}: ${n}`),
  };
}

/** Takes out the categories that are named as not read. */
function takeUnread(left: PlainCount, unread: Map<string, number>): Line[] {
  return [...unread].flatMap(([kind, counted]) => {
    const names = [...left.keys()].filter((category) => isOfKind(category, kind));
    if (names.length === 0) return [];
    unread.delete(kind);
    return [{ what: kind, events: taken(left, names), records: 0, counted }];
  });
}

function taken(left: PlainCount, categories: readonly string[]): number {
  let sum = 0;
  for (const category of categories) {
    sum += left.get(category) ?? 0;
    left.delete(category);
  }
  return sum;
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, n) => sum + n, 0);

/** @param unread kinds that are not categories: types of rows within one */
function lineOf(entry: RecordEntry, left: PlainCount, { records, end }: Reading, unread: Map<string, number>): Line {
  const { events, each = 1, skipped = [], skippedAtMost = [], kinds, alone, perhaps } = entry;
  const counts = (names: readonly DiagnosticName[]): number => sumOf(names.map((name) => end.diagnostics[name] ?? 0));
  const whole = taken(
    left,
    [...left.keys()].filter((category) => events.test(category)),
  );
  const ofKinds = sumOf([...unread].filter(([kind]) => kinds?.test(kind)).map(([, n]) => n));
  const made = each * sumOf(entry.records.map((type) => records.get(type) ?? 0)) - (each - 1) * counts(alone ?? []);
  const counted = counts(skipped) + ofKinds;
  const unsure = sumOf([...left].filter(([category]) => perhaps?.test(category)).map(([, n]) => n));
  const missing = whole - made - counted;
  const known = missing < 0 ? Math.min(-missing, unsure) : Math.min(missing, unsure + counts(skippedAtMost));
  const what = entry.records.join(', ');
  return missing < 0
    ? { what, events: whole + known, records: made, counted }
    : { what, events: whole, records: made + Math.min(known, unsure), counted: counted + Math.max(0, known - unsure) };
}

export const isWhole = ({ lines, unknown }: Account): boolean =>
  unknown.length === 0 && lines.every(({ events, records, counted }) => events === records + counted);
