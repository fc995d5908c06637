/**
 * Warnings and errors that Nsight Systems recorded of its own session. Their texts may name files and programs: only what
 * they mean is kept.
 */
import type { DiagnosticName, Diagnostics } from '../../../record/diagnostics.js';
import { numberOf, type SqliteFile } from '../../sqlite/sqlite.js';

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
