/**
 * What an Nsight Systems export states of its session: tool, length, machine, the warnings and errors that Nsight Systems
 * recorded, and the time that it and CUPTI took for themselves. Texts of messages may name files and programs: only what
 * they mean is kept.
 */
import { numberOf, type Cell, type SqliteFile, type Selection } from '../../sqlite/sqlite.js';
import type { DiagnosticName, Diagnostics } from '../../../record/diagnostics.js';
import { Ranges } from '../../trace/trace-columns.js';
import { isNear } from '../../trace/clocks/exact-times.js';

export const OVERHEAD_TABLES = ['PROFILER_OVERHEAD', 'CUPTI_ACTIVITY_KIND_OVERHEAD'];

interface OverheadSource {
  readonly database: SqliteFile;
  readonly diagnostics: Diagnostics;
  /** Process and thread of a row. */
  readonly thread: readonly Selection[];
  readonly threadOf: (process: number, tid: number) => number;
}

/** Ranges whose `text` cell is that of a registered string. */
export function readOverhead({ database, diagnostics, thread, threadOf }: OverheadSource): Ranges {
  const ranges = new Ranges();
  for (const table of OVERHEAD_TABLES) {
    const columns = ['start', 'end', 'nameId', ...thread];
    database.eachNumbers(table, columns, ([start = NaN, end = NaN, name = NaN, process = NaN, tid = 0]) => {
      if (!isNear(start) || !isNear(end) || end < start || Number.isNaN(process)) diagnostics.count('bad-row');
      else ranges.add(start, end, threadOf(process, tid), -1 - name, 0);
    });
  }
  return ranges;
}

export const MESSAGE_TABLE = 'DIAGNOSTIC_EVENT';

/** ENUM_DIAGNOSTIC_SEVERITY_LEVEL: 1 information, 2 warning, 3 error. */
const SEVERITIES: ReadonlySet<number> = new Set([2, 3]);

/** What messages mean, the first that matches. Source: exports of 2022 to 2026, and the texts that users report. */
const MEANINGS: readonly (readonly [text: RegExp, counter: DiagnosticName])[] = [
  [/insufficient.privileg/i, 'profiler-without-permission'],
  [
    /driver.*(?:not supported|unsupported|too old|out of date)|unsupported.*driver|incompatible.*driver/is,
    'profiler-driver-not-supported',
  ],
  [/CUPTI.*not.?initiali[sz]ed|CUPTI_ERROR/is, 'profiler-not-initialised'],
  [/no CUDA events/i, 'profiler-saw-no-device'],
];

export function countMessages(database: SqliteFile, diagnostics: Diagnostics): void {
  for (const [severity, text] of database.rows(MESSAGE_TABLE, ['severity', 'text'])) {
    if (!SEVERITIES.has(numberOf(severity)) || typeof text !== 'string') continue;
    diagnostics.count(MEANINGS.find(([meant]) => meant.test(text))?.[1] ?? 'profiler-message');
  }
}

const text = (cell: Cell | undefined): string | null => (typeof cell === 'string' ? cell : null);

/** `NVIDIA Nsight Systems 2024.2.1.106`; null for exports before 2022, which do not state it. */
export function toolOf(database: SqliteFile): string | null {
  let version: string | null = null;
  for (const table of ['META_DATA_EXPORT', 'EXPORT_META_DATA']) {
    for (const [name, value] of database.rows(table, ['name', 'value'])) {
      if (name === 'EXPORT_PRODUCT_VERSION') version = text(value) ?? '';
    }
  }
  return version === null ? null : `Nsight Systems ${version}`;
}

/** Length in ns; null when it is not stated. */
export function durationOf(database: SqliteFile): number | null {
  for (const [duration] of database.rows('ANALYSIS_DETAILS', ['duration'])) {
    const value = numberOf(duration);
    if (value > 0) return value;
  }
  return null;
}

/** The machine; null when none or several are stated. No other row of that table is read. */
export function hostOf(database: SqliteFile): string | null {
  const table = 'TARGET_INFO_SYSTEM_ENV';
  if (!database.hasColumn(table, 'name')) return null;
  const filter = [{ needs: ['name'], sql: "name = 'Hostname'" }];
  const names = new Set([...database.rows(table, ['value'], filter)].map(([value]) => text(value)));
  const [name = null] = names;
  return names.size === 1 && name !== '' ? name : null;
}
