/** Names of Ascend kernels without the serial numbers that graphs give them. */
import { expect } from 'chai';
import { withoutSerial } from '../../../../src/parse/readers/ascend/kernel-labels.js';
import { csv, task, timeText, writeProfile } from '../../../support/ascend-trace.js';
import { recordsOf } from '../../../support/profile-records.js';

const NAMES: readonly (readonly [name: string, opType: string | null, short: string])[] = [
  ['MatMul104', 'MatMulV2', 'MatMul'],
  ['MatMulV2104', 'MatMulV2', 'MatMulV2'],
  ['MatMulV2', 'MatMulV2', 'MatMulV2'],
  ['trans_TransData_25', 'TransData', 'trans_TransData'],
  ['aclnnAddmm_MatMulCommon_MatMulV2', 'MatMulV2', 'aclnnAddmm_MatMulCommon_MatMulV2'],
  ['aclnnAddmm_MatMulCommon_MatMulV2', null, 'aclnnAddmm_MatMulCommon_MatMulV2'],
  ['Conv2DBackpropFilter10', null, 'Conv2DBackpropFilter'],
  ['MatMulV2', null, 'MatMulV2'],
  ['Conv2D', null, 'Conv2D'],
  ['123', null, '123'],
];

describe('names of Ascend kernels', () => {
  for (const [name, opType, short] of NAMES)
    it(`${name} of type ${opType ?? 'unknown'}: ${short}`, () => expect(withoutSerial(name, opType)).to.equal(short));

  it('fold in tables, and are whole in records', () => {
    const rows = [1, 2].map((n) => [`MatMul${n}`, 'MatMulV2', 'AI_CORE', `${timeText(10 * n)}\t`, 5]);
    const header = ['Name', 'Type', 'Accelerator Core', 'Start Time(us)', 'Duration(us)'];
    const tasks = [1, 2, 3].map((n) => task(`MatMul${n}`, 'AI_CORE', n, 10 * n, 10 * n + 5));
    const path = writeProfile(tasks, { 'kernel_details.csv': csv(header, ...rows) });
    const names = recordsOf(path).flatMap((record) => (record.type === 'kernel' ? [[record.name, record.short]] : []));
    expect(names).to.deep.equal([['MatMul1', 'MatMul'], ['MatMul2', 'MatMul'], ['MatMul3', 'MatMul']]); // prettier-ignore
  });
});
