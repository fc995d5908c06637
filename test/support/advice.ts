/** What the adviser says of records, for tests. */
import { Adviser, type AdviserOptions } from '../../src/prof/advise/adviser.js';
import type { Finding } from '../../src/prof/advise/finding.js';
import type { ProfileVerdict } from '../../src/prof/advise/verdict/verdict.js';
import { RULES } from '../../src/prof/advise/rules.js';
import type { CopyRecord, ProfileLine } from '../../src/record/record.js';
import { takeAll } from './rows.js';

export function adviserOf(records: Iterable<ProfileLine>, options: AdviserOptions = {}): Adviser {
  const adviser = new Adviser(options);
  takeAll(records, adviser);
  return adviser;
}

/** The findings of one rule, however small. */
export const findingsOf = (rule: string, records: Iterable<ProfileLine>): Finding[] =>
  adviserOf(records, { rules: RULES.filter(({ name }) => name === rule), minShare: 0 }).findings;

/** The verdict on the only profile of the records. */
export function verdictOf(records: Iterable<ProfileLine>): ProfileVerdict {
  const [only, ...others] = adviserOf(records).verdicts;
  if (only === undefined || others.length > 0) throw new Error('not one verdict');
  return only;
}

/** Why a rule says nothing; undefined when it says something. */
export const silenceOf = (rule: string, records: Iterable<ProfileLine>): string | undefined =>
  adviserOf(records, { rules: RULES.filter(({ name }) => name === rule) }).silences[0]?.why;

export const copy = (fields: Partial<CopyRecord>): CopyRecord => ({
  type: 'copy',
  kind: 'DtoH',
  bytes: 1000,
  profile: 0,
  start: 0,
  dur: 10,
  device: 0,
  stream: 7,
  pid: 10,
  tid: 100,
  corr: 5,
  launch: null,
  ...fields,
});
