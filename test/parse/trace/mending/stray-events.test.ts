/** Host events, samples and ends of work that are far from all the rest of a profile. */
import { expect } from 'chai';
import fc from 'fast-check';
import {
  annotation,
  any,
  frame,
  kernel,
  launch,
  op,
  read,
  runtime,
  type EventText,
} from '../../../support/kineto-trace.js';
import { NsightDatabase } from '../../../support/nsight-database.js';
import { diagnosticsOf, headerOf, recordsOf } from '../../../support/profile-records.js';
import { propertyRuns } from '../../../support/property-runs.js';
import type { EndRecord, ProfileLine, ProfileRecord } from '../../../../src/record/record.js';

/** µs, as all times of events here. */
const HOUR = 3_600e6;
const FIRST = 10 * HOUR;
const KERNELS = 20;

/** An op every ms for 15 µs with a launch after 5 µs, whose kernel runs from 20 to 30 µs: 19.03 ms in all. */
const work = (every = 1000): EventText[] =>
  Array.from({ length: KERNELS }, (_, n) => {
    const at = FIRST + every * n;
    return [op('aten::mm', at, at + 15), launch(n + 1, at + 5), kernel('k', n + 1, at + 20)];
  }).flat();
const LENGTH = 19_030_000;
const LAST = FIRST + LENGTH / 1000;

const counter = (at: number): EventText => `{"ph":"C","name":"power","ts":${at},"pid":0,"args":{"value":3}}`;
const memory = (at: number): EventText =>
  `{"ph":"i","s":"t","name":"[memory]","ts":${at},"pid":10,"tid":100,"args":{"Device Type":1,"Device Id":0,"Addr":7,"Bytes":512,"Total Allocated":512}}`;

/** What may be anywhere, for 10 µs. */
const ANYTHING: Readonly<Record<string, (at: number) => EventText>> = {
  op: (at) => op('aten::empty', at, at + 10),
  call: (at) => launch(999, at),
  step: (at) => annotation('ProfilerStep#7', at, at + 10),
  annotation: (at) => annotation('forward', at, at + 10),
  frame: (at) => frame('a.py(1): f', at, at + 10),
  counter,
  memory,
};

/** Start and length of a profile, how many times are not believed, and its records but for these. */
function recordsWith(events: readonly EventText[]): { start: unknown; dur: unknown; far: number; records: ProfileLine[] } {
  const records = read(events, { ranges: true, header: '"schemaVersion": 1, "baseTimeNanoseconds": 1700000000000000000' });
  const { startUnixNs: start, dur } = records[0] as ProfileRecord;
  return { start, dur, far: (records.at(-1) as EndRecord).diagnostics['time-far-away'] ?? 0, records: records.slice(1, -1) };
} // prettier-ignore

describe('an event far from everything else', () => {
  const clean = recordsWith(work());

  it('sets neither the start nor the length of a profile, and becomes no record, whatever it is', () => {
    expect(clean.dur).to.equal(LENGTH);
    const seconds = fc.integer({ min: 601, max: 25_000 });
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(ANYTHING)), seconds, fc.boolean(), (kind, far, isBefore) => {
        const at = isBefore ? FIRST - far * 1e6 : LAST + far * 1e6;
        const event = (ANYTHING[kind] as (at: number) => EventText)(at);
        expect(recordsWith([...work(), event]), kind).to.deep.equal({ ...clean, far: 1 });
      }),
      { numRuns: propertyRuns(30) },
    );
  });

  it('is not the launch of work that is not', () => {
    const moved = work().map((event) => (event === launch(3, FIRST + 2005) ? launch(3, FIRST - HOUR) : event));
    const { dur, far, records } = recordsWith(moved);
    const kernels = records.filter((record) => record.type === 'kernel');
    expect([dur, far]).to.deep.equal([LENGTH, 1]);
    expect(kernels.map(({ launch }) => launch === null)).to.deep.equal(kernels.map(({ corr }) => corr === 3));
    expect(kernels.find(({ corr }) => corr === 3)?.start).to.equal(2_020_000);
  });

  it('is taken out of databases too', () => {
    const db = new NsightDatabase();
    for (let n = 1; n <= KERNELS; n++) db.launch(n, []);
    const { dur } = headerOf(db.write());
    const path = db.range('late', HOUR * 1000, HOUR * 1000 + 10).write();
    expect([headerOf(path).dur, diagnosticsOf(path)['time-far-away']]).to.deep.equal([dur, 1]);
    expect(recordsOf(path, { ranges: true }).filter(({ type }) => type === 'range')).to.have.length(KERNELS);
  });

  it('and work without a launch at the same time do not protect each other', () => {
    for (const at of [FIRST - HOUR, LAST + HOUR]) {
      const { records, ...rest } = recordsWith([
        ...work(),
        op('aten::empty', at, at + 15),
        kernel('lost', 900, at + 5),
      ]);
      expect(rest).to.deep.equal({ start: clean.start, dur: LENGTH, far: 2 });
      const kernels = records.filter((record) => record.type === 'kernel');
      expect(kernels.filter(({ dur }) => dur === null).map(({ name }) => name)).to.deep.equal(['lost']);
    }
  });

  it('leaves forward ops at the time of their records', () => {
    const forward = (events: readonly EventText[]): unknown => {
      const { records } = recordsWith(events);
      return records.flatMap((record) => (record.type === 'kernel' ? [record.forward] : []));
    };
    const seq = (name: string, at: number, fwd: number): EventText =>
      any('cpu_op', name, at, at + 15, { pid: 10, tid: 100 + fwd }, { 'Sequence number': 7, 'Fwd thread id': fwd });
    const steps = [
      seq('aten::mm', FIRST, 0),
      launch(900, FIRST + 5),
      kernel('k', 900, FIRST + 20),
      seq('autograd::engine::evaluate_function: MmBackward0', FIRST + 100, 1),
    ];
    const backward = any(
      'cuda_runtime',
      'cudaLaunchKernel',
      FIRST + 105,
      FIRST + 106,
      { pid: 10, tid: 101 },
      { correlation: 901 },
    );
    const events = [...work(), ...steps, backward, kernel('k', 901, FIRST + 120)];
    expect(JSON.stringify(forward(events))).to.include('"start":0');
    expect(forward([...events, op('aten::empty', FIRST - HOUR, FIRST - HOUR + 1)])).to.deep.equal(forward(events));
  });

  it('moves no times of a profile that states when it began', () => {
    const db = new NsightDatabase();
    const from = 20 * 60e9;
    for (let n = 1; n <= KERNELS; n++) {
      const start = from + 100 * n;
      db.call({ start, end: start + 10 }, n).kernel({ start: start + 20, end: start + 30 }, n);
    }
    const path = db.call({ start: 0, end: 10 }, 999).write();
    const [first] = recordsOf(path).filter((record) => record.type === 'kernel');
    expect([first?.start, headerOf(path).dur]).to.deep.equal([from + 120, from + 100 * KERNELS + 30]);
    expect(diagnosticsOf(path)['time-far-away']).to.equal(1);
  });

  it('is believed where it is part of something, or not that far, or not alone', () => {
    const before = FIRST - HOUR;
    const believed: readonly (readonly [string, readonly EventText[], number])[] = [
      ['a program around all', [annotation('main', before, LAST + 50)], 3.6e12 + LENGTH + 50_000],
      ['a range that loads data', [annotation('load', before, FIRST)], 3.6e12 + LENGTH],
      ['a range that waits', [annotation('wait', LAST, LAST + HOUR)], 3.6e12 + LENGTH],
      ['a wait', [runtime('cudaDeviceSynchronize', 900, LAST, LAST + HOUR)], 3.6e12 + LENGTH],
      [
        'work',
        [op('aten::mm', before, before + 15), launch(900, before + 5), kernel('k', 900, before + 20)],
        3.6e12 + LENGTH,
      ],
      ['a launch and its kernel', [launch(900, before + 5), kernel('k', 900, before + 20)], 3.6e12 + LENGTH - 5000],
      ['four ops', [0, 1, 2, 3].map((n) => op('aten::empty', before + n, before + n + 1)), 3.6e12 + LENGTH],
      ['samples', Array.from({ length: 3600 }, (_, second) => counter(before + second * 1e6)), 3.6e12 + LENGTH],
      ['less than ten minutes', [op('aten::empty', FIRST - 599e6, FIRST - 599e6 + 1)], 599e9 + LENGTH],
    ];
    for (const [what, events, dur] of believed) {
      const of = recordsWith([...work(), ...events]);
      expect([of.dur, of.far], what).to.deep.equal([dur, 0]);
    }
    // 10 s of work, and less than a hundred times that before it.
    const long = recordsWith([...work(10e6 / (KERNELS - 1)), op('aten::empty', FIRST - 990e6, FIRST - 990e6 + 1)]);
    expect([long.dur, long.far]).to.deep.equal([990e9 + 10e9 + 30_000, 0]);
  });
});

describe('work of which only the end is far from everything else', () => {
  const last = (name: string): EventText => any('kernel', name, LAST + 20, LAST + HOUR, { pid: 0, tid: 7 }, { device: 0, stream: 7, correlation: 900 });
  const launched = launch(900, LAST + 5);

  it('has no known end, and does not set the length of a profile', () => {
    const { dur, far, records } = recordsWith([...work(), launched, last('k')]);
    expect([dur, far]).to.deep.equal([LENGTH + 20_000, 1]);
    const kernels = records.filter((record) => record.type === 'kernel');
    expect(kernels.filter((kernel) => kernel.dur === null).map(({ start }) => start)).to.deep.equal([LENGTH + 20_000]);
  });

  it('is believed where the host was there until then, and of work that waits for other devices', () => {
    const wait = runtime('cudaDeviceSynchronize', 901, LAST + 10, LAST + HOUR + 5);
    for (const events of [[launched, last('k'), wait], [launched, last('ncclDevKernel_AllReduce')]])
      expect(recordsWith([...work(), ...events])).to.include({ far: 0, dur: 3.6e12 + LENGTH + (events.length > 2 ? 5_000 : 0) });
  });
}); // prettier-ignore
