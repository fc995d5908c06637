import { expect } from 'chai';
import fc from 'fast-check';
import { Ranges } from '../../../src/parse/trace/trace-columns.js';
import { selfTimes } from '../../../src/parse/trace/range-records.js';
import { readProfile } from '../../../src/parse/profile.js';
import { openInput } from '../../../src/parse/source.js';
import type { ProfileLine, RangeRecord } from '../../../src/record/record.js';
import { annotation, frame, op, read } from '../../support/kineto-trace.js';
import { NsightDatabase } from '../../support/nsight-database.js';
import { recordsOf } from '../../support/profile-records.js';

import { propertyRuns } from '../../support/property-runs.js';
import { itEachShared } from '../../support/shared.js';

const LAST = 30;

interface Drawn {
  readonly thread: number;
  readonly start: number;
  readonly end: number;
}

/** By definition, moment by moment: the open range of the thread that began last, of equal starts the shorter. */
function byMoments(ranges: readonly Drawn[]): number[] {
  const self = ranges.map(() => 0);
  for (const thread of new Set(ranges.map((range) => range.thread))) {
    for (let time = 0; time < LAST; time++) {
      let innermost = -1;
      ranges.forEach((range, row) => {
        if (range.thread === thread && range.start <= time && Math.min(range.end, LAST) > time) innermost = row;
      });
      if (innermost !== -1) self[innermost] = (self[innermost] ?? 0) + 1;
    }
  }
  return self;
}

describe('self times of host ranges', () => {
  const range = fc
    .record({ thread: fc.nat(1), start: fc.nat(20), length: fc.nat(9), isOpen: fc.boolean() })
    .map(({ thread, start, length, isOpen }) => ({ thread, start, end: isOpen ? Infinity : start + length }));

  it('are those of the range that began last, nested or not', () => {
    const drawn = fc
      .array(range, { maxLength: 12 })
      .map((list) => list.sort((a, b) => a.start - b.start || (a.end === b.end ? 0 : b.end - a.end)));
    fc.assert(
      fc.property(drawn, (list) => {
        const ranges = new Ranges();
        for (const { start, end, thread } of list) ranges.add(start, end, thread, 0, 0);
        const order = Uint32Array.from(list, (_, row) => row);
        expect([...selfTimes(ranges, order, LAST)]).to.deep.equal(byMoments(list));
      }),
      { numRuns: propertyRuns(200) },
    );
  });

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
