import { expect } from 'chai';
import { call, counter, task, timeText, writeProfile } from '../../../support/ascend-trace.js';
import { diagnosticsOf, headerOf, recordsOf } from '../../../support/profile-records.js';

const MM = [call('Node@launch', 11, 22), task('MatMul', 'AI_CORE', 11, 30, 40)];

describe('Ascend text: what is not read', () => {
  it('is counted by category: events of unknown kind, marks, begins; what the profiler derives is not', () => {
    const other = (fields: object): string => JSON.stringify({ pid: 1, tid: 1, ts: timeText(5), dur: 1, ...fields });
    const path = writeProfile([
      ...MM,
      other({ ph: 'X', cat: 'new_kind', name: 'x' }),
      other({ ph: 'X', cat: 'enqueue', name: 'Enqueue', args: {} }),
      other({ ph: 'X', name: 'x', args: { else: 1 } }),
      other({ ph: 'X', name: 'Free' }),
      other({ ph: 'X', name: 'Computing', args: {} }),
      other({ ph: 'i', name: 'epoch 3' }),
    ]);
    expect(headerOf(path).facts).to.deep.include({
      not_read: 'enqueue: 1, new_kind: 1, no category: 1, no category (phase i): 1',
    });
    expect(diagnosticsOf(path)).to.deep.include({ 'event-not-read': 4 });
  });

  it('is counted where a call or a collective has no time', () => {
    const timeless = (text: string): string => text.replace(/"ts":"[\d.]+",/, '');
    const path = writeProfile([...MM, timeless(call('Node@launch', 77, 5))]);
    expect(diagnosticsOf(path)).to.deep.include({ 'event-without-time': 1 });
  });
});

describe('Ascend text: counters', () => {
  it('are samples in basic units, sums of others left out', () => {
    const path = writeProfile([
      ...MM,
      counter('AI Core Freq', 31, { MHz: 1650 }),
      counter('HBM 1/Read', 32, { 'Read(MB/s)': 2 }),
      counter('LLC 0 Read/Hit Rate', 33, { 'Hit Rate(%)': 0.5 }),
      counter('APP/HBM', 34, { KB: 3 }),
      counter('QoS OTHERS', 35, { value: 3 }),
      counter('read_ost', 36, { acc_id: 7, value: 4 }),
      counter('APP/Memory', 36.5, { KB: 3 }),
      counter('Something New', 37, { value: 5 }),
      counter('Something New', 38, { value: 'x' }),
    ]);
    expect(
      recordsOf(path)
        .flatMap((record) => (record.type === 'sample' ? [record] : []))
        .map(({ metric, value, unit, labels }) => [metric, value, unit, labels]),
    ).to.deep.equal([
      ['aicore_freq', 1.65e9, 'Hz', undefined],
      ['hbm_bandwidth', 2 * 2 ** 20, 'bytes/s', { hbm: 1, access: 'read' }],
      ['llc_hit_rate', 50, '%', { llc: 0, access: 'read' }],
      ['npu_mem', 3072, 'bytes', { of: 'app', memory: 'hbm' }],
      ['qos', 3, null, { of: 'others' }],
      ['acc_read_ost_level', 4, null, { acc: 7 }],
      ['Something New', 5, null, undefined],
    ]);
    expect(headerOf(path).facts).to.deep.include({ not_read: 'no category (phase C): 1' });
    expect(headerOf(path).devices[0]?.clockHz).to.equal(1.65e9);
  });

  it('are of the device that their arguments name', () => {
    const path = writeProfile([...MM, counter('power', 31, { device: 5, value: 50 })]);
    const samples = recordsOf(path).filter((record) => record.type === 'sample');
    expect(samples)
      .to.deep.include({ ...samples[0], metric: 'power', value: 50, device: 5 })
      .and.to.have.length(1);
  });
});
