import { expect } from 'chai';
import fc from 'fast-check';
import { any, kernels, runtime } from '../../../support/kineto-trace.js';
import { globalPid, NsightDatabase } from '../../../support/nsight-database.js';
import { NvprofDatabase } from '../../../support/nvprof-database.js';
import { diagnosticsOf, kernelsOf, recordsOf } from '../../../support/profile-records.js';
import { propertyRuns } from '../../../support/property-runs.js';

const US = 1000;

/** Start and end in ns, and what else is not as usual. */
type Kernel = readonly [start: number, end: number, cells?: Parameters<NsightDatabase['kernel']>[2], name?: string];

function durationsOf(...rows: readonly Kernel[]): [dur: number | null, isCut: boolean][] {
  const db = new NsightDatabase();
  rows.forEach(([start, end, cells, name], n) => db.kernel({ start, end }, n + 1, cells, name));
  return kernelsOf(db.write()).map(({ dur, cut }) => [dur, cut === true]);
}

const MANY = Array.from({ length: 40 }, (_, n): Kernel => [n * 300 * US, n * 300 * US + 250 * US]);

describe('kernels of one stream', () => {
  it('last as recorded where they are in order, however the next begins before they end', () => {
    const programs = fc.array(fc.record({ dur: fc.integer({ min: 1, max: 900 * US }), early: fc.integer({ min: 0, max: 900 * US }) }));
    fc.assert(
      fc.property(programs, (list) => {
        let [start, end] = [0, 0];
        const rows = list.map(({ dur, early }): Kernel => {
          start = Math.max(start + 1, end - early);
          end = Math.max(end, start) + dur;
          return [start, end];
        });
        expect(durationsOf(...rows)).to.deep.equal(rows.map(([from, to]) => [to - from, false]));
      }),
      { numRuns: propertyRuns(20) },
    );
  }); // prettier-ignore

  it('of which one ends after the next has, and takes far longer than others of its name, last until that begins', () => {
    const others: Kernel[] = [[1000 * US, 1250 * US], [2000 * US, 2250 * US]];
    expect(durationsOf([0, 1_600_000 * US], ...others)).to.deep.equal([[1000 * US, true], [250 * US, false], [250 * US, false]]);
    // Ten times the longest of the others is not far longer, nor is what has no other of its name.
    const later: Kernel[] = [[1000 * US, 1250 * US], [9000 * US, 9250 * US]];
    expect(durationsOf([0, 2501 * US], ...later)[0]).to.deep.equal([1000 * US, true]);
    expect(durationsOf([0, 2500 * US], ...later)[0]).to.deep.equal([2500 * US, false]);
    expect(durationsOf([0, 9000 * US, {}, 'alone'], ...others)[0]).to.deep.equal([9000 * US, false]);
    // What has no other of its name is compared with all work: 100 times the longest, 250 us, is not far longer.
    expect(durationsOf([0, 25_000 * US, {}, 'alone'], ...others)[0]).to.deep.equal([25_000 * US, false]);
    expect(durationsOf([0, 25_001 * US, {}, 'alone'], ...others)[0]).to.deep.equal([1000 * US, true]);
  }); // prettier-ignore

  it('of which two of one name overrun are compared with the others of it', () => {
    const damaged = MANY.map(([start, end], n): Kernel => [start, n === 3 || n === 10 ? end + 1_600_000 * US : end]);
    const cut = [3, 10];
    expect(durationsOf(...damaged)).to.deep.equal(MANY.map((_, n) => (cut.includes(n) ? [300 * US, true] : [250 * US, false])));
    // One that takes as long in order makes it believed.
    const three: Kernel[] = [[0, 9000 * US], [1000 * US, 1250 * US], [20_000 * US, 29_000 * US]];
    expect(durationsOf(...three)[0]).to.deep.equal([9000 * US, false]);
  }); // prettier-ignore

  it('end no more than a little after the next one has, unless it begins a millisecond before the end', () => {
    const short: Kernel = [100_000 * US, 100_100 * US];
    const dur = ([, end]: Kernel, next: Kernel): unknown => durationsOf([0, end], next, short)[0];
    expect(dur([0, 1100 * US], [500 * US, 1089 * US, {}, 'next'])).to.deep.equal([500 * US, true]);
    expect(dur([0, 1100 * US], [500 * US, 1090 * US, {}, 'next'])).to.deep.equal([1100 * US, false]);
    expect(dur([0, 2000 * US], [999 * US, 9000 * US, {}, 'next'])).to.deep.equal([999 * US, true]);
    expect(dur([0, 2000 * US], [1000 * US, 9000 * US, {}, 'next'])).to.deep.equal([2000 * US, false]);
  });

  it('are those of one context: two of a process have streams of the same number', () => {
    const other = { contextId: 2 };
    expect(durationsOf(...MANY, [1, 12_000 * US + 1, other])[1]).to.deep.equal([12_000 * US, false]);
    const next: Kernel = [1000 * US, 1250 * US, other];
    expect(durationsOf(...MANY, [1, 12_000 * US, other], next)[1]).to.deep.equal([1000 * US - 1, true]);
  });

  it('are so in traces and databases of nvprof that state contexts', () => {
    const long = [0, 9000 * US] as const;
    const next = [1000 * US, 1250 * US] as const;
    const nvprof = (contextId: number): unknown =>
      kernelsOf(
        new NvprofDatabase()
          .kernel(...next, 2, { contextId: 1 })
          .kernel(...long, 1, { contextId })
          .write(),
      )[0]?.dur;
    expect([1, 2].map(nvprof)).to.deep.equal([1000 * US, 9000 * US]);
    const kineto = (context: number): unknown =>
      kernels([
        any('kernel', 'k', 0, 9000, { pid: 0, tid: 7 }, { device: 0, stream: 7, context }),
        any('kernel', 'k', 1000, 1250, { pid: 0, tid: 7 }, { device: 0, stream: 7, context: 1 }),
      ])[0]?.dur;
    expect([1, 2].map(kineto)).to.deep.equal([1000 * US, 9000 * US]);
  });

  it('are those of one stream, device and process, of no graph, and do not communicate', () => {
    const next = [1000 * US, 1250 * US] as const;
    for (const cells of [{ streamId: 8 }, { deviceId: 1 }, { globalPid: 1n << 24n }]) {
      expect(durationsOf([0, 9000 * US], [...next, cells])[0]).to.deep.equal([9000 * US, false]);
    }
    for (const node of [{ graphNodeId: 5 }, { graphId: 3 }]) {
      expect(durationsOf([0, 9000 * US, node], [...next, node])[0]).to.deep.equal([9000 * US, false]);
    }
    const name = 'ncclDevKernel_AllReduce_Sum_f32_RING_LL';
    expect(durationsOf([0, 9000 * US, {}, name], [...next, {}, name])[0]).to.deep.equal([9000 * US, false]);
  });

  it('are of a graph where a call launches one, whatever else is known of it', () => {
    const replay = [0, 1, 2].flatMap((n) => [
      runtime('cudaGraphLaunch', n + 1, 10_000 * n, 10_000 * n + 5),
      any('kernel', 'k', 10_000 * n + 10, 10_000 * n + (n === 0 ? 9000 : 60), { pid: 0, tid: 7 }, { device: 0, stream: 7, correlation: n + 1 }),
      any('kernel', 'k', 10_000 * n + 30, 10_000 * n + 80, { pid: 0, tid: 7 }, { device: 0, stream: 7, correlation: n + 1 }),
    ]);
    expect(kernels(replay)[0]?.dur).to.equal(8_990_000);
  }); // prettier-ignore

  it('are of a graph, or of several processes, where others have the id of their launch, which is not known', () => {
    const shared = (corr: number): unknown => {
      const db = new NsightDatabase().kernel({ start: 0, end: 9000 * US }, 1);
      return kernelsOf(db.kernel({ start: 1000 * US, end: 1250 * US }, corr).write())[0]?.dur;
    };
    expect([1, 2].map(shared)).to.deep.equal([9000 * US, 1000 * US]);
    const traced = (device: number): unknown =>
      kernels([
        any('kernel', 'k', 0, 9000, { pid: 0, tid: 7 }, { device: 0, stream: 7, correlation: 1 }),
        any('kernel', 'k', 1000, 1250, { pid: 0, tid: 7 }, { device: 0, stream: 7, correlation: 2 }),
        any('kernel', 'k', 1000, 1250, { pid: 0, tid: 7 }, { device, stream: 8, correlation: 1 }),
      ])[0]?.dur;
    expect([0, 1].map(traced)).to.deep.equal([9000 * US, 1000 * US]);
  });

  it('of a device with programmatic launches may begin whenever, and end in order', () => {
    const of = (computeMajor: number, computeMinor: number, until: number): unknown => {
      const db = new NsightDatabase().row('TARGET_INFO_GPU', { id: 0, name: 'GPU', computeMajor, computeMinor });
      db.kernel({ start: 0, end: 3000 * US }, 1).kernel({ start: 2 * US, end: until }, 2, {}, 'next');
      return kernelsOf(db.kernel({ start: 9000 * US, end: 9040 * US }, 3).write())[0]?.dur;
    };
    expect([of(9, 0, 3500 * US), of(12, 0, 3500 * US), of(8, 9, 3500 * US)]).to.deep.equal([3000 * US, 3000 * US, 2 * US]);
    expect(of(9, 0, 2989 * US)).to.equal(2 * US);
  }); // prettier-ignore

  it('are of several where more than one in twenty overruns', () => {
    const others = MANY.slice(0, 4).map(([start, end]): Kernel => [start - 1, end + 3000 * US]);
    expect(durationsOf(...MANY, ...others).filter(([, isCut]) => isCut)).to.have.lengthOf(0);
  });

  it('are of several processes where the ids of their launches do not rise', () => {
    const traced = (...ids: readonly (number | undefined)[]): unknown =>
      kernels(
        ids.map((correlation, n) =>
          any('kernel', 'k', 1000 * n, n === 0 ? 9000 : 1000 * n + 250, { pid: 0, tid: 7 }, { device: 0, stream: 7, correlation }),
        ),
      )[0]?.dur;
    expect(traced(1, 1001, 2)).to.equal(9000 * US);
    expect(traced(1001, 1, 1002)).to.equal(9000 * US);
    expect(traced(1, 2, 1001)).to.equal(1000 * US);
    expect(traced(undefined, undefined)).to.equal(1000 * US);
  }); // prettier-ignore

  it('that are cut are counted', () => {
    const db = new NsightDatabase().kernel({ start: 0, end: 9000 * US }, 1).kernel({ start: 10, end: 20 }, 2);
    expect(diagnosticsOf(db.write())).to.include({ 'end-not-believed': 1 });
  });
});

describe('copies and memsets', () => {
  const place = { streamId: 7, deviceId: 0, globalPid: globalPid() };
  type Timed = readonly [start: number, end: number, bytes?: number];
  const copy = (db: NsightDatabase, [start, end, bytes = 4096]: Timed): NsightDatabase =>
    db.row('CUPTI_ACTIVITY_KIND_MEMCPY', { ...place, start, end, bytes, copyKind: 1 });
  const set = (db: NsightDatabase, [start, end, bytes = 4096]: Timed): NsightDatabase =>
    db.row('CUPTI_ACTIVITY_KIND_MEMSET', { ...place, start, end, bytes, value: 0 });
  const worksOf = (db: NsightDatabase): unknown[] =>
    recordsOf(db.write()).flatMap((record) =>
      record.type === 'kernel' || record.type === 'copy' || record.type === 'set'
        ? [[record.type, record.dur, record.cut === true]]
        : [],
    );
  const next = { start: 1000 * US, end: 1250 * US };

  for (const [kind, add] of [
    ['copy', copy],
    ['set', set],
  ] as const) {
    it(`end as kernels do in the order of their stream (${kind})`, () => {
      const works = (first: Timed): unknown => {
        const db = add(new NsightDatabase().kernel(next, null), first);
        return worksOf(add(add(db, [2000 * US, 2100 * US]), [3000 * US, 3100 * US]))[0];
      };
      expect(works([0, 9000 * US])).to.deep.equal([kind, 1000 * US, true]);
      // No other has this size; and one that ends little after the next began is believed.
      expect(works([0, 9000 * US, 8192])).to.deep.equal([kind, 9000 * US, false]);
      expect(works([0, 1260 * US])).to.deep.equal([kind, 1260 * US, false]);
    });

    it(`are what a kernel may not end after (${kind})`, () => {
      const db = new NsightDatabase()
        .kernel({ start: 0, end: 9000 * US }, null)
        .kernel({ start: 2000 * US, end: 2250 * US }, null);
      expect(worksOf(add(db, [500 * US, 600 * US]))[0]).to.deep.equal(['kernel', 500 * US, true]);
    });
  }

  it('of a graph may run beside others', () => {
    const db = copy(copy(new NsightDatabase().kernel(next, null), [2000 * US, 2100 * US]), [3000 * US, 3100 * US]);
    db.row('CUPTI_ACTIVITY_KIND_MEMCPY', {
      ...place,
      start: 0,
      end: 9000 * US,
      bytes: 4096,
      copyKind: 1,
      graphNodeId: 5,
    });
    expect(worksOf(db)[0]).to.deep.equal(['copy', 9000 * US, false]);
  });

  it('that are cut are counted', () => {
    const db = copy(copy(new NsightDatabase().kernel(next, null), [0, 9000 * US]), [2000 * US, 2100 * US]);
    expect(diagnosticsOf(db.write())).to.include({ 'end-not-believed': 1 });
  });
});
