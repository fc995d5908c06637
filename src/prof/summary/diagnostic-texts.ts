/** Descriptions of what diagnostics count, by name. */
import { DIAGNOSTICS, type Severity } from '../../record/diagnostics.js';
import type { ProfileSummary } from './summary-data.js';

/** Descriptions of the names that the summary adds to those of readers. */
const OF_SUMMARY: Readonly<Record<string, readonly [Severity, string]>> = {
  'record-out-of-order': ['doubt', 'records out of order of start (busy times are too low)'],
  'record-without-time': ['doubt', 'records without a time (left out)'],
  'record-ends-before-start': ['doubt', 'records that end before they start (left out)'],
  'record-of-device-left-out': ['doubt', 'records of devices above the limit (left out)'],
  'step-left-out': ['doubt', 'activities of steps above the limit (left out)'],
};

/** Description of a diagnostic: `kernels whose host call is not in the profile`. */
export interface DiagnosticText {
  readonly severity: Severity;
  readonly text: string;
}

/** Descriptions of a profile's diagnostics whose names are known. */
export function diagnosticTexts({ diagnostics }: ProfileSummary): Record<string, DiagnosticText> {
  const known: Readonly<Record<string, readonly [Severity, string] | undefined>> = { ...DIAGNOSTICS, ...OF_SUMMARY };
  const found = Object.keys(diagnostics).flatMap((name) => {
    const entry = Object.hasOwn(known, name) ? known[name] : undefined;
    return entry === undefined ? [] : [[name, { severity: entry[0], text: entry[1] }] as const];
  });
  return Object.fromEntries(found);
}
