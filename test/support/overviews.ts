/** Overviews as a test wants them: from records. */
import type { Overview } from '../../src/prof/summary/summary-data.js';
import { Overviews } from '../../src/prof/summary/summaries.js';
import { Annotator } from '../../src/prof/report.js';
import type { ProfileLine } from '../../src/record/record.js';

/** One of each profile. */
export function overviewsOf(records: Iterable<ProfileLine>): Overview[] {
  const [annotator, overviews] = [new Annotator(), new Overviews()];
  for (const record of records) overviews.take(record, annotator.take(record));
  overviews.rest(annotator.rest());
  return overviews.all;
}

/** Of the only profile. */
export function overviewOf(records: Iterable<ProfileLine>): Overview {
  const [only, ...others] = overviewsOf(records);
  if (only === undefined || others.length > 0) throw new Error('not one profile');
  return only;
}
