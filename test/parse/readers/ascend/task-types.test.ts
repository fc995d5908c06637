/** Tasks of Ascend's traces by their type: the list of types is open. */
import { expect } from 'chai';
import { call, task, writeProfile } from '../../../support/ascend-trace.js';
import { completeKernel } from '../../../../src/record/fields/record-fields.js';
import { diagnosticsOf, headerOf, recordsOf } from '../../../support/profile-records.js';

describe('Ascend text: types of tasks', () => {
  it('tasks of unknown type are kernels unless a task runs inside them', () => {
    const path = writeProfile([
      call('Node@launch', 11, 22),
      task('MatMul', 'AI_CORE', 11, 30, 40),
      task('aclnnAdd_AddAiCore_Add', 'Other', 21, 50, 60),
      task('aclnnCast_Cast_MemSet', 'Other', 22, 61, 62),
      task('EVENT_WAIT', 'DAVID_EVENT_WAIT', 23, 63, 64),
      task('', 'DAVID_EVENT_RECORD', 24, 65, 66),
      task('group', 'FUSION_9', 25, 70, 90),
      task('aclnnMul', 'NEXT_CORE', 26, 71, 80),
      task('aclnnEmpty', 'NEXT_CORE', 27, 91, 91),
    ]);
    const kernels = recordsOf(path).flatMap((record) => (record.type === 'kernel' ? [completeKernel(record)] : []));
    expect(kernels.map(({ name, engine, dur }) => [name, engine, dur])).to.deep.equal([
      ['MatMul', undefined, 10_000],
      ['aclnnAdd_AddAiCore_Add', undefined, 10_000],
      ['aclnnCast_Cast_MemSet', undefined, 1000],
      ['aclnnMul', undefined, 9000],
    ]);
    const syncs = recordsOf(path).flatMap((record) => (record.type === 'sync' ? [record.kind] : []));
    expect(syncs).to.deep.equal(['stream-wait-event', 'event-record']);
    expect(diagnosticsOf(path)).to.deep.include({
      'kernel-of-unknown-type': 3,
      'task-passed-over': 1,
      'event-not-read': 1,
    });
    expect(headerOf(path).facts).to.deep.equal({
      not_read: 'NEXT_CORE: 1',
      task_types_unknown: 'NEXT_CORE: 1, Other: 2',
    });
  });
});
