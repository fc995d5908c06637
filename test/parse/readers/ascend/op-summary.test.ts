/** op_summary_*.csv of msprof: what kernel_details.csv is made from, with other column names. */
import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { foundIn } from '../../../support/found.js';
import type { ProfileLine } from '../../../../src/record/record.js';
import { csv, timeText } from '../../../support/ascend-trace.js';
import { freshPath } from '../../../support/fresh-path.js';
import { headerOf, recordsOf } from '../../../support/profile-records.js';

const [START, CORE] = ['Start Time(us)', 'Accelerator Core'];
/** Names of columns: of kernel_details.csv, of op_summary of 2023, and of op_summary. */
const NAMES = {
  details: ['Name', 'Type', CORE, START, 'Duration(us)', 'Wait Time(us)'],
  old: ['Op Name', 'OP Type', 'Task Type', START, 'Task Duration(us)', 'Task Wait Time(us)'],
  summary: ['Op Name', 'OP Type', 'Task Type', 'Task Start Time(us)', 'Task Duration(us)', 'Task Wait Time(us)'],
} as const;

const REST = ['Device_id', 'Stream ID', 'Block Dim', 'Input Shapes', 'Input Data Types', 'aic_mac_ratio'];
const ROWS = [
  ['MatMul1', 'MatMulV2', 'AI_CORE', `${timeText(10)}\t`, 5, 1, 0, 2, 24, '"""8,8;8,8"""', 'FLOAT16;FLOAT16', 0.5],
  ['hcom_allReduce__1_0_1', 'hcom_allReduce_', 'HCCL', `${timeText(20)}\t`, 7, 0, 0, 3, 0, 'N/A', 'N/A', 'N/A'],
];

function written(names: readonly string[], folder = freshPath(), file = 'op_summary_20230919.csv'): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, file);
  writeFileSync(path, csv([...names, ...REST], ...ROWS));
  return path;
}

const found = (path: string): ProfileLine[] =>
  recordsOf(path).filter(({ type }) => type === 'kernel' || type === 'collective');

describe('Ascend op_summary_*.csv', () => {
  it('has the records of kernel_details.csv, whatever its columns are called', () => {
    const expected = found(written(NAMES.details));
    expect(expected.map((record) => 'dur' in record && record.dur)).to.deep.equal([5000, 7000]);
    expect(expected[0]).to.deep.include({ name: 'MatMul1', engine: 'AI_CORE', counters: { waitNs: 1000, aic_mac_ratio: 0.5 } });
    for (const names of [NAMES.old, NAMES.summary]) expect(found(written(names))).to.deep.equal(expected);
    expect(headerOf(written(NAMES.summary)).devices[0]?.units).to.equal(24);
  }); // prettier-ignore

  it('has steps that began on the host as long before the first work as step_trace_time.csv says', () => {
    const path = written([...NAMES.details], freshPath(), 'kernel_details.csv');
    writeFileSync(path, csv(['Step Id', 'Name', CORE, START, 'Duration(us)'], [7, 'Add', 'AI_VECTOR_CORE', timeText(40), 5], [7, 'MatMul', 'AI_CORE', timeText(30), 5], [8, 'Add', 'AI_VECTOR_CORE', timeText(50), 5])); // prettier-ignore
    writeFileSync(
      join(path, '..', 'step_trace_time.csv'),
      csv(['Step', 'Free', 'Preparing'], [7, 1, 12.5], [8, 1, '']),
    );
    const records = recordsOf(path);
    const steps = records.flatMap((record) => (record.type === 'sample' ? [record] : []));
    // From the begin of step 7, 12.5 us before the product at 30 us; when it ended, and when step 8 began, is not known.
    expect(steps).to.deep.equal([{ type: 'sample', profile: 0, start: 0, dur: null, device: null, metric: 'step', value: 7, unit: null }]); // prettier-ignore
    expect(records.map((record) => ('start' in record ? record.start : null))).to.deep.equal([null, 0, 12_500, 22_500, 32_500, null]); // prettier-ignore
  });

  it('is a profile where there is nothing else, and not beside the output of PyTorch', async () => {
    const alone = freshPath('_prof');
    const beside = freshPath('_ascend_pt');
    for (const folder of [join(alone, 'PROF_1', 'out'), join(beside, 'PROF_1', 'out')]) written(NAMES.summary, folder);
    written(NAMES.details, join(beside, 'ASCEND_PROFILER_OUTPUT'), 'kernel_details.csv');
    expect((await foundIn([alone])).profiles).to.have.length(1);
    expect((await foundIn([beside])).profiles).to.have.length(1);
  });
});
