/** Overviews as a test wants them: from records. */
import type { ProfileSummary } from '../../src/prof/summary/summary-data.js';
import { ProfileSummaries } from '../../src/prof/summary/summaries.js';
import type { ProfileLine } from '../../src/record/record.js';
import { takeAll } from './rows.js';

/** One of each profile. */
export function overviewsOf(records: Iterable<ProfileLine>): ProfileSummary[] {
  const overviews = new ProfileSummaries();
  takeAll(records, overviews);
  return overviews.all;
}

/** Of the only profile. */
export function overviewOf(records: Iterable<ProfileLine>): ProfileSummary {
  const [only, ...others] = overviewsOf(records);
  if (only === undefined || others.length > 0) throw new Error('not one profile');
  return only;
}
