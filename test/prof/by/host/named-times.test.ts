/** Time of the host by name is a union: whatever a range of the name is in, each moment of its thread counts once. */
import { expect } from 'chai';
import fc from 'fast-check';
import { HOST_TABLES, HostTable, type HostTableKind } from '../../../../src/prof/by/host/host-table.js';
import { AnnotationTotals } from '../../../../src/prof/html/annotations/annotation-times.js';
import { OpTotals } from '../../../../src/prof/html/kernels/op-totals.js';
import { HostSteps } from '../../../../src/prof/steps/host-steps.js';
import { HostSums } from '../../../../src/prof/summary/host-sums.js';
import type { RangeRecord } from '../../../../src/record/record.js';
import { groupsOf, valuesOf } from '../../../support/groups.js';
import { propertyRuns } from '../../../support/property-runs.js';

type Kind = 'annotation' | 'op' | 'layer' | 'api';

/** Ranges of two names on two threads of two profiles, in any nesting, also crossing each other, as records are ordered. */
const rangesOf = (kind: Kind) =>
  fc
    .array(
      fc.record({
        text: fc.constantFrom('f', 'g'),
        tid: fc.constantFrom(1, 2),
        profile: fc.constantFrom(0, 1),
        start: fc.integer({ min: 0, max: 30 }),
        dur: fc.integer({ min: 0, max: 20 }),
      }),
      { maxLength: 12 },
    )
    .map((all) =>
      all
        .map((one): RangeRecord => ({ type: 'range', kind, pid: 5, domain: null, self: 0, ...one }))
        .sort((a, b) => a.start - b.start || b.dur - a.dur),
    );

const threadOf = ({ profile, tid }: RangeRecord): string => `${profile}/${tid ?? ''}`;
const isIn = ({ start, dur }: RangeRecord, ns: number): boolean => start <= ns && ns < start + dur;

/** By counting each ns; how often an op is counted where it is not within another of its name on its thread. */
function expectedOf(ranges: readonly RangeRecord[]): Record<string, readonly [passes: number, ns: number]> {
  const names = [...new Set(ranges.map(({ text }) => text))].sort();
  return Object.fromEntries(
    names.map((name) => {
      const own = ranges.filter(({ text }) => text === name);
      const isAgain = (one: RangeRecord, i: number): boolean =>
        own.slice(0, i).some((outer) => {
          const [end, ofOuter] = [one.start + one.dur, outer.start + outer.dur];
          return threadOf(outer) === threadOf(one) && one.start < ofOuter && end <= ofOuter;
        });
      const passes = own.filter((one, i) => one.kind !== 'op' || !isAgain(one, i)).length;
      let ns = 0;
      for (const thread of new Set(own.map(threadOf)))
        for (let at = 0; at < 60; at++) if (own.some((one) => threadOf(one) === thread && isIn(one, at))) ns++;
      return [name, [passes, ns]];
    }),
  );
}

const byTable =
  (table: string) =>
  (ranges: readonly RangeRecord[]): unknown => {
    const rows = new HostTable(HOST_TABLES[table] as HostTableKind);
    for (const range of ranges) rows.take(range);
    return Object.fromEntries([...rows.rows()].map(({ name, host, spread }) => [name, [spread.count, host]]).sort());
  };

const bySummary =
  (list: 'ops' | 'annotations' | 'layers') =>
  (ranges: readonly RangeRecord[]): unknown => {
    // A summary is of one profile: ranges of the other are those of other threads.
    const sums = new HostSums();
    for (const range of ranges) sums.add({ ...range, tid: 10 * range.profile + (range.tid ?? 0) });
    const tallies = sums.result(new HostSteps(), 10)?.[list] ?? [];
    return Object.fromEntries(tallies.map(({ name, count, total }) => [name, [count, total]]).sort());
  };

const byOps = (ranges: readonly RangeRecord[]): unknown => {
  const totals = new OpTotals();
  for (const range of ranges) totals.range(range);
  const { shown } = totals.totals(10, 1, 1).ops;
  return Object.fromEntries(shown.map(({ op, passes, host }) => [op, [passes, host]]).sort());
};

const byAnnotations = (ranges: readonly RangeRecord[]): unknown => {
  const totals = new AnnotationTotals();
  for (const range of ranges) totals.range(range);
  return Object.fromEntries(totals.annotations(10, 10).shown.map(({ text, passes, host }) => [text, [passes, host]]).sort()); // prettier-ignore
};

const byOpGroups = (ranges: readonly RangeRecord[]): unknown =>
  Object.fromEntries(
    valuesOf(groupsOf(ranges, { by: 'op', columns: 'op,passes,host' }))
      .map(({ op, passes, host }) => [op, [passes, host]])
      .sort(),
  );

const WAYS: readonly (readonly [name: string, kind: Kind, of: (ranges: readonly RangeRecord[]) => unknown])[] = [
  ['--by range, of annotations', 'annotation', byTable('range')],
  ['--by range, of layers', 'layer', byTable('range')],
  ['--by hostop', 'op', byTable('hostop')],
  ['--by api', 'api', byTable('api')],
  ['--by op', 'op', byOpGroups],
  ['the summary of ops', 'op', bySummary('ops')],
  ['the summary of annotations', 'annotation', bySummary('annotations')],
  ['the summary of layers', 'layer', bySummary('layers')],
  ["the page's ops", 'op', byOps],
  ["the page's annotations", 'annotation', byAnnotations],
];

describe('time of the host by name', () => {
  for (const [name, kind, of] of WAYS)
    it(`is the union of its ranges on each thread, each of which is counted: ${name}`, () => {
      fc.assert(
        fc.property(rangesOf(kind), (ranges) => {
          expect(of(ranges)).to.deep.equal(expectedOf(ranges));
        }),
        { numRuns: propertyRuns(200) },
      );
    });

  it('of a path in --by ranges is a union too: f within f is a path of its own', () => {
    const nested = [
      { start: 0, dur: 10 },
      { start: 2, dur: 4 },
      { start: 8, dur: 6 },
    ].map((one): RangeRecord => ({
      ...{ type: 'range', kind: 'annotation', profile: 0, pid: 5, tid: 1, domain: null, text: 'f', self: 0 },
      ...one,
    }));
    const rows = valuesOf(groupsOf(nested, { by: 'ranges', columns: 'ranges,passes,host', sort: 'ranges' }));
    expect(rows).to.deep.equal([
      { ranges: ['f'], passes: 2, host: 14 },
      { ranges: ['f', 'f'], passes: 1, host: 4 },
    ]);
  });
});
