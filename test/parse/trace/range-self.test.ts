import { expect } from 'chai';
import { readProfile } from '../../../src/parse/profile.js';
import { openInput } from '../../../src/parse/source.js';
import type { ProfileLine, RangeRecord } from '../../../src/record/record.js';
import { annotation, frame, op, read } from '../../support/kineto-trace.js';
import { NsightDatabase } from '../../support/nsight-database.js';
import { recordsOf } from '../../support/profile-records.js';

import { itEachShared } from '../../support/shared.js';

describe('self times of host ranges', () => {
  itEachShared(
    ['data/kineto/h100_vit.json.gz', 'data/nsys/vsr_a100_pyprof.sqlite'],
    ['data/kineto/h100_owlv2.json.gz', 'data/pyprof/nsys_1000.sqlite'],
    (name) => `add up to the time that each thread is in a range: ${name.replace('data/', '')}`,
    async (path) => {
      const source = await openInput(path);
      const records = [...readProfile(source.path, { profile: 0, name: source.file, ranges: 'without-calls' })];
      source.dispose();
      // Overhead has self times of its own, as calls have.
      const ranges = records.filter(
        (record): record is RangeRecord => record.type === 'range' && record.kind !== 'overhead',
      );
      const threads = new Map<string, { union: number; end: number; self: number }>();
      for (const { pid, tid, start, dur, self = NaN } of ranges) {
        const thread = `${String(pid)}/${String(tid)}`;
        const sums = threads.get(thread) ?? { union: 0, end: -Infinity, self: 0 };
        sums.union += Math.max(0, start + dur - Math.max(start, sums.end));
        threads.set(thread, { ...sums, end: Math.max(sums.end, start + dur), self: sums.self + self });
      }
      expect(threads.size).to.be.above(0);
      for (const { union, self } of threads.values()) expect(self).to.be.closeTo(union, union * 1e-12);
    },
  );
});

describe('kinds of host ranges', () => {
  const kindsOf = (records: readonly ProfileLine[]): Record<string, string | undefined> =>
    Object.fromEntries(records.flatMap((record) => (record.type === 'range' ? [[record.text, record.kind]] : [])));

  it('are those of NVTX texts', () => {
    const texts = {
      load_batch: 'annotation',
      'aten::mm, seq = 4, op_id = 8': 'op',
      'layer:fc': 'layer',
      "{'traceMarker': ['a.py:1']}": 'marker',
      "{'mod': 'torch', 'op': 'mm', 'args': []}": 'marker',
    };
    const path = new NsightDatabase().launch(1, Object.keys(texts)).write();
    expect(kindsOf(recordsOf(path, { ranges: true }))).to.deep.equal({ ...texts, cudaLaunchKernel: 'api' });
  });

  it('are those of the events of PyTorch', () => {
    const events = [
      annotation('load_batch', 0, 50),
      op('aten::mm', 100, 110),
      frame('train.py(3): main', 0, 200),
      frame('nn.Module: Linear_0', 90, 120),
    ];
    expect(kindsOf(read(events, { ranges: true }))).to.deep.equal({
      load_batch: 'annotation',
      'aten::mm': 'op',
      'train.py(3): main': 'frame',
      'nn.Module: Linear_0': 'layer',
    });
  });
});
