/** Descriptions of what diagnostics count, by name. */
import { DIAGNOSTICS } from '../../record/diagnostics.js';
import type { ProfileSummary } from './summary-data.js';

/** Descriptions of the counters that the summary adds: what it leaves out, or counts too low. */
const OF_SUMMARY: Readonly<Record<string, string>> = {
  'record-out-of-order': 'records not in order of start time (busy times are too low)',
  'record-without-time': 'records without a time (left out)',
  'record-ends-before-start': 'records that end before they start (left out)',
  'record-of-device-left-out': 'records of devices above the limit (left out)',
  'step-left-out': 'activities of steps above the limit (left out)',
};

const TEXTS = new Map([
  ...Object.entries(DIAGNOSTICS).map(([name, [, text]]) => [name, text] as const),
  ...Object.entries(OF_SUMMARY),
]);

/** Descriptions of a profile's diagnostics whose names are known: `kernels whose launch call is not in the profile`. */
export const diagnosticTexts = ({ diagnostics }: ProfileSummary): Record<string, string> =>
  Object.fromEntries(
    Object.keys(diagnostics).flatMap((name) => {
      const text = TEXTS.get(name);
      return text === undefined ? [] : [[name, text]];
    }),
  );
