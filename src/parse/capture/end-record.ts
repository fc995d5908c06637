import type { Diagnostics } from '../../record/diagnostics.js';
import type { EndRecord } from '../../record/record.js';

/** The end line. @param counts number of records by type */
export const endRecord = (
  profile: number,
  counts: Readonly<Record<string, number>>,
  diagnostics: Diagnostics,
): EndRecord => ({
  type: 'end',
  profile,
  counts: Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1))),
  diagnostics: diagnostics.toJSON(),
});
