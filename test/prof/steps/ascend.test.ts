/** The breakdown against the vendor's own: StepTraceTime of analysis.db, and step_trace_time.csv. */
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readProfile } from '../../../src/parse/profile.js';
import { STEP_TIME_COLUMNS } from '../../../src/prof/steps/step-columns.js';
import { Steps } from '../../../src/prof/steps/steps.js';
import type { ProfileLine, SampleRecord } from '../../../src/record/record.js';
import { itShared } from '../../support/shared.js';

/** Their columns, us, by ours. */
const COLUMNS_OF_ASCEND = {
  computing: 'computing',
  communication_not_overlapped: 'not_overlapped',
  overlapped: 'overlapped',
  communication: 'communication',
  free: 'free',
  stage: 'stage',
  bubble: 'bubble',
  communication_not_overlapped_and_exclude_receive: 'not_overlapped_no_receive',
  preparing: 'preparing',
} as const;
type StepTraceTime = Readonly<Record<keyof typeof COLUMNS_OF_ASCEND, number>> & { readonly step: string };

/** The host's time of a step, where the profile's own records do not have it. */
function stepSample(records: readonly ProfileLine[], database: Database.Database): SampleRecord {
  const [first] = records;
  const base = first?.type === 'profile' ? (first.startUnixNs ?? '0') : '0';
  const row = database
    .prepare('select id, startNs - cast(? as integer) as start, endNs - startNs as dur from STEP_TIME')
    .get(base) as { id: number; start: number; dur: number };
  const { id, start, dur } = row;
  return { type: 'sample', profile: 0, start, dur, device: null, metric: 'step', value: id, unit: null };
}

/** Our values of a step by their names, us. */
function valuesOf(records: Iterable<ProfileLine>, step: number): Map<string, number | null> {
  const steps = new Steps();
  for (const record of records) steps.take(record);
  const row = steps.profiles[0]?.rows.find((one) => one.step === step);
  const found = new Map<string, number | null>();
  for (const [theirs, ours] of Object.entries(COLUMNS_OF_ASCEND)) {
    const value = row === undefined ? null : (STEP_TIME_COLUMNS.find(({ key }) => key === ours)?.value(row) ?? null);
    found.set(theirs, typeof value === 'number' ? value / 1000 : null);
  }
  return found;
}

const DATABASES = [
  ['db_level0_rank0', 'ascend_pytorch_profiler_0.db'],
  ['db_level1_rank1', 'ascend_pytorch_profiler_1.db'],
  ['db_level2_rank1', 'ascend_pytorch_profiler_1.db'],
] as const;
const TEXTS = [
  'text_level1_rank0/ASCEND_PROFILER_OUTPUT/trace_view.json',
  'text_level1_rank1/ASCEND_PROFILER_OUTPUT/trace_view.json',
  'text_qwen_level2_rank0/ASCEND_PROFILER_OUTPUT/kernel_details.csv',
] as const;
/** Their columns by those above. */
const HEADERS = {
  computing: 'Computing',
  communication_not_overlapped: 'Communication(Not Overlapped)',
  overlapped: 'Overlapped',
  communication: 'Communication',
  free: 'Free',
  stage: 'Stage',
  bubble: 'Bubble',
  communication_not_overlapped_and_exclude_receive: 'Communication(Not Overlapped and Exclude Receive)',
  preparing: 'Preparing',
} as const;

describe('breakdown of steps against Ascend', () => {
  for (const [folder, file] of DATABASES) {
    itShared(`of ${folder}, to the ns`, [`data/ascend/${folder}/ASCEND_PROFILER_OUTPUT/${file}`], ([path = '']) => {
      const options = { readonly: true } as const;
      const analysis = new Database(join(dirname(path), 'analysis.db'), options);
      const database = new Database(path, options);
      try {
        const expected = analysis.prepare('select * from StepTraceTime').get() as StepTraceTime;
        const records = [...readProfile(path, { profile: 0 })];
        const found = valuesOf([stepSample(records, database), ...records], Number(expected.step));
        for (const name of Object.keys(COLUMNS_OF_ASCEND) as (keyof typeof COLUMNS_OF_ASCEND)[]) {
          expect(found.get(name)?.toFixed(3), name).to.equal(expected[name].toFixed(3));
        }
      } finally {
        analysis.close();
        database.close();
      }
    });
  }

  for (const text of TEXTS) {
    // Their times are numbers of us since 1970, which have no more than quarters of a us.
    itShared(`of ${text}, to the us`, [`data/ascend/${text}`], ([path = '']) => {
      const [head = '', line = ''] = readFileSync(join(dirname(path), 'step_trace_time.csv'), 'utf8').trim().split(/\r?\n/); // prettier-ignore
      const cells = line.split(',');
      const expected = new Map(head.split(',').map((name, i) => [name, Number(cells[i])]));
      const found = valuesOf(readProfile(path, { profile: 0, ranges: true }), expected.get('Step') ?? NaN);
      for (const [ours, theirs] of Object.entries(HEADERS))
        expect(found.get(ours), theirs).to.be.closeTo(expected.get(theirs) ?? NaN, 1);
    });
  }
});
