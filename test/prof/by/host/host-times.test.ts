/** Host times of ranges and layers beside plain SQL and JSON. */
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { readProfile } from '../../../../src/parse/profile.js';
import { openInput } from '../../../../src/parse/source.js';
import { UsageError } from '../../../../src/record/errors.js';
import type { ProfileLine, RangeRecord } from '../../../../src/record/record.js';
import { groupsOf, valuesOf } from '../../../support/groups.js';
import { kernel } from '../../../support/kernels.js';
import { itShared } from '../../../support/shared.js';

const COLUMNS = 'count,total,passes,host,hostself';

const range = (
  text: string,
  start: number,
  dur: number,
  self: number,
  fields: Partial<RangeRecord> = {},
): RangeRecord => ({
  ...{ type: 'range', profile: 0, kind: 'annotation', start, dur, self, pid: 1, tid: 2, domain: null, text, ...fields },
});

/** By the last entry of the path: the sums of passes and of host time. */
function byText(records: Iterable<ProfileLine>, by: string): Record<string, readonly [passes: number, ns: number]> {
  const sums: Record<string, readonly [number, number]> = {};
  for (const row of valuesOf(groupsOf(records, { by, columns: `${by},${COLUMNS}`, tree: false }))) {
    if (row['passes'] === null) continue;
    const text = String((row[by] as string[]).at(-1));
    const [passes, ns] = sums[text] ?? [0, 0];
    sums[text] = [passes + (row['passes'] as number), ns + (row['host'] as number)];
  }
  return sums;
}

describe('host times of groups', () => {
  const records = [
    range('step', 0, 100, 30),
    range('load', 10, 40, 40),
    range('load', 60, 30, 20),
    range('aten::mm', 65, 10, 10, { kind: 'op' }),
    range('load', 60, 30, 30, { tid: 3 }),
    kernel({ ranges: ['step'], dur: 7 }),
    kernel({ ranges: ['other'], dur: 9 }),
  ];

  it('are those of the ranges by their paths, also where nothing was launched', () => {
    const rows = valuesOf(groupsOf(records, { by: 'ranges', columns: `ranges,${COLUMNS}`, sort: 'ranges' }));
    expect(rows).to.deep.equal([
      { ranges: ['load'], count: 0, total: 0, passes: 1, host: 30, hostself: 30 },
      { ranges: ['other'], count: 1, total: 9, passes: null, host: null, hostself: null },
      { ranges: ['step'], count: 1, total: 7, passes: 1, host: 100, hostself: 30 },
      { ranges: ['step', 'load'], count: 0, total: 0, passes: 2, host: 70, hostself: 60 },
    ]);
  });

  it('are those of each profile, whose threads may have the same numbers', () => {
    const ranks = [0, 1].flatMap((profile) => [
      range('step', 0, 50, 40, { profile }),
      range('load', 60, 10, 10, { profile }),
    ]);
    const rows = valuesOf(groupsOf(ranks, { by: 'ranges', columns: 'ranges,passes,host', sort: 'ranges' }));
    expect(rows).to.deep.equal([
      { ranges: ['load'], passes: 2, host: 20 },
      { ranges: ['step'], passes: 2, host: 100 },
    ]);
  });

  it('are unknown where a time is', () => {
    const cut = [range('load', 0, NaN, 5), range('load', 10, 4, 4), range('step', 20, 3, 3)];
    expect(
      valuesOf(groupsOf(cut, { by: 'ranges', columns: 'ranges,passes,host,hostself', sort: 'ranges' })),
    ).to.deep.equal([
      { ranges: ['load'], passes: 2, host: null, hostself: 9 },
      { ranges: ['step'], passes: 1, host: 3, hostself: 3 },
    ]);
  });

  it('of a tree are those of the row itself, not of the rows beneath; deeper self times are in the last level', () => {
    const tree = (depth?: number): unknown[] =>
      valuesOf(groupsOf(records, { by: 'ranges', columns: `ranges,${COLUMNS}`, tree: true, depth }))
        .filter(({ ranges }) => (ranges as string[])[0] === 'step')
        .map(({ passes, host, hostself }) => [passes, host, hostself]);
    expect(tree()).to.deep.equal([
      [1, 100, 30],
      [2, 70, 60],
    ]);
    expect(tree(1)).to.deep.equal([[1, 100, 90]]);
  });

  it('of an op are those of its calls, whatever called them, under the name that kernels have it by', () => {
    const ops = [
      range('aten::linear', 0, 50, 20, { kind: 'op' }),
      range('aten::mm', 10, 30, 30, { kind: 'op' }),
      range('aten::mm, seq = 3, sizes = [[2, 2], [2, 2]]', 60, 10, 10, { kind: 'op' }),
      range('autograd::engine::evaluate_function: MmBackward0', 80, 5, 2, { kind: 'op' }),
      range('MmBackward0', 81, 3, 3, { kind: 'op' }),
      kernel({ op: ['linear'], dur: 7 }),
    ];
    const rows = valuesOf(groupsOf(ops, { by: 'op', columns: `op,${COLUMNS}`, sort: 'op' }));
    expect(rows).to.deep.equal([
      { op: 'MmBackward0', count: 0, total: 0, passes: 1, host: 3, hostself: 3 },
      { op: 'autograd::engine::evaluate_function: MmBackward0', count: 0, total: 0, passes: 1, host: 5, hostself: 2 },
      { op: 'linear', count: 1, total: 7, passes: 1, host: 50, hostself: 20 },
      { op: 'mm', count: 0, total: 0, passes: 2, host: 40, hostself: 40 },
    ]);
  });

  it("of TensorRT's layers are under the name that kernels have them by", () => {
    const layers = [
      range('/conv1/Conv', 0, 50, 50, { kind: 'layer', domain: 'TensorRT' }),
      kernel({ layer: ['/conv1/Conv'], dur: 7 }),
    ];
    expect(valuesOf(groupsOf(layers, { by: 'layer', columns: `layer,${COLUMNS}` }))).to.deep.equal([
      { layer: ['/conv1/Conv'], count: 1, total: 7, passes: 1, host: 50, hostself: 50 },
    ]);
  });

  it('go with the keys of ranges alone', () => {
    const by = (keys: string) => () => groupsOf([], { by: keys, columns: 'host' });
    expect(by('kernel')).to.throw(UsageError, 'host works only with --by ranges or --by layer or --by op');
    expect(by('ranges,op')).to.throw(UsageError);
  });

  itShared('are the sums of NVTX_EVENTS', ['data/nsys/nvtx_only.sqlite'], ([path = '']) => {
    const database = new Database(path, { readonly: true });
    // Types 59 and 60 are ranges, 75 names a domain.
    const theirs = database
      .prepare(
        `WITH named AS (SELECT e.*, coalesce(e.text, s.value) AS name, d.text AS ofDomain FROM NVTX_EVENTS e
           LEFT JOIN StringIds s ON s.id = e.textId LEFT JOIN NVTX_EVENTS d ON d.eventType = 75 AND
           d.domainId = e.domainId AND d.globalTid >> 24 = e.globalTid >> 24 WHERE e.eventType IN (59, 60))
         SELECT iif(ofDomain IS NULL OR ofDomain = 'TensorRT' AND name NOT GLOB '[A-Z]*::[a-z]*', name,
           ofDomain || ':' || name), count(*), sum("end" - start) FROM named GROUP BY 1`,
      )
      .raw()
      .all() as [string, number, number][];
    database.close();
    const [ranges = {}, layers = {}] = ['ranges', 'layer'].map((by) =>
      byText(readProfile(path, { profile: 0, ranges: true }), by),
    );
    const expected = Object.fromEntries(theirs.map(([text, passes, ns]) => [text, [passes, ns]]));
    expect({ ...ranges, ...layers }).to.deep.equal(expected);
  });

  const trace = 'data/kineto/cpu_only_torch_2_13.pt.trace.json.gz';
  itShared('are the sums of the annotations of a trace without a device', [trace], async ([path = '']) => {
    const { traceEvents } = JSON.parse(gunzipSync(readFileSync(path)).toString()) as {
      readonly traceEvents: readonly { readonly cat?: string; readonly name: string; readonly dur: number }[];
    };
    const theirs: Record<string, readonly [number, number]> = {};
    for (const { cat, name, dur } of traceEvents) {
      if (cat !== 'user_annotation') continue;
      const [passes, us] = theirs[name] ?? [0, 0];
      theirs[name] = [passes + 1, us + dur];
    }
    const source = await openInput(path);
    const ours = byText(readProfile(source.path, { profile: 0, ranges: true }), 'ranges');
    source.dispose();
    expect(Object.keys(theirs)).to.have.length.above(3);
    for (const [name, [passes, us]] of Object.entries(theirs)) {
      expect(ours[name]?.[0], name).to.equal(passes);
      expect(ours[name]?.[1], name).to.be.closeTo(us * 1000, 0.5 * passes);
    }
  });
});
