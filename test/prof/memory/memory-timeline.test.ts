import Database from 'better-sqlite3';
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { readProfile } from '../../../src/parse/profile.js';
import { MemoryTimeline } from '../../../src/prof/memory/memory-timeline.js';
import { UserError } from '../../../src/record/errors.js';
import type { ProfileLine, SampleRecord } from '../../../src/record/record.js';
import { profileOn, A100 } from '../../support/devices.js';
import { fileOf, recordsOf } from '../../support/kineto.js';
import { sample } from '../../support/neuron.js';
import { itShared } from '../../support/shared.js';

const timelineOf = (records: Iterable<ProfileLine>, device: number | null = 0): MemoryTimeline => {
  const timeline = new MemoryTimeline(device);
  for (const record of records) timeline.take(record);
  return timeline.finish().facts;
};
type Coalesced = [times: number[], sizes: number[][]];
type Raw = [ns: number, action: number, bytes: number, category: number][];
const coalesced = (timeline: MemoryTimeline): Coalesced => JSON.parse([...timeline.coalesced()].join('')) as Coalesced;
const raw = (timeline: MemoryTimeline): Raw => JSON.parse([...timeline.raw()].join('')) as Raw;

const allocation = (start: number, dur: number | null | undefined, value: number, device = 0): SampleRecord => {
  const record = sample('op_memory', value, { op: 'aten::mm' }, { start, device, unit: 'bytes' });
  return dur === undefined ? record : { ...record, dur };
};
const PROFILE: ProfileLine = { ...profileOn(A100), startUnixNs: '1700000000000000000' };

describe('the timeline of memory', () => {
  const records = [PROFILE, allocation(1500, 1000, 64), allocation(1900, null, 8), allocation(2500, 10_000, 32), allocation(0, 5, 1, 1)]; // prettier-ignore

  it('has what is held after the events of each us, without ranges all in the last of eight categories', () => {
    const [times, sizes] = coalesced(timelineOf(records));
    // 1.5 and 1.9 us: 64 + 8; 2.5 us: the 64 go, 32 come; 12.5 us: the 32 go.
    expect(times.map((time) => time - 1_700_000_000_000_000)).to.deep.equal([1, 2, 12]);
    expect(sizes).to.deep.equal([72, 40, 8].map((bytes) => [0, 0, 0, 0, 0, 0, 0, 0, bytes]));
  });

  it('raw: each creation and destruction', () => {
    const text = [...timelineOf(records).raw()].join('');
    expect(text.startsWith('[[1700000000000001500, 1, 64, 7], ')).to.equal(true);
    expect(raw(timelineOf(records)).map(([, ...event]) => event)).to.deep.equal([
      [1, 64, 7], [1, 8, 7], [3, -64, 7], [1, 32, 7], [3, -32, 7],
    ]); // prettier-ignore
  });

  it('names what it lacks', () => {
    const failing = (lines: ProfileLine[], device: number | null = 0): (() => unknown) => () => timelineOf(lines, device); // prettier-ignore
    expect(failing([PROFILE])).to.throw(UserError, 'no allocations of device 0');
    expect(failing(records, null)).to.throw(UserError, 'no allocations of the host');
    expect(failing([PROFILE, allocation(0, undefined, 5)])).to.throw(
      UserError,
      'does not record when its 1 allocation is freed',
    );
    expect(failing([...records, { ...PROFILE, profile: 1 }])).to.throw(UserError, 'several profiles');
  });
});

describe('the timeline of memory of real profiles', () => {
  const ascend = 'data/ascend/db_level1_rank1/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_1.db';
  itShared('holds what OP_MEMORY holds at each us', [ascend], ([path = '']) => {
    const database = new Database(path, { readonly: true });
    try {
      const rows = database.prepare(`
        WITH event AS (SELECT allocationTime AS ns, size FROM OP_MEMORY UNION ALL
          SELECT releaseTime, -size FROM OP_MEMORY WHERE releaseTime IS NOT NULL)
        SELECT us, sum(change) OVER (ORDER BY us) AS held FROM (SELECT ns / 1000 AS us, sum(size) AS change FROM event GROUP BY us) ORDER BY us`).all() as { us: number; held: number }[]; // prettier-ignore
      const [times, sizes] = coalesced(timelineOf(readProfile(path, { profile: 0 }), 1));
      expect(times).to.deep.equal(rows.map(({ us }) => us));
      expect(sizes.map((row) => row[8])).to.deep.equal(rows.map(({ held }) => held));
      expect(times.length).to.be.above(200);
    } finally {
      database.close();
    }
  });

  itShared('holds what the events of a PyTorch trace leave', [fileOf('mi300_bert_small')], async ([path = '']) => {
    interface Event { readonly name: string; readonly args?: { readonly Bytes: number; readonly Addr: number; readonly 'Device Type': number } } // prettier-ignore
    const { traceEvents } = JSON.parse(gunzipSync(readFileSync(path)).toString()) as { traceEvents: Event[] };
    const held = new Map<number, number>();
    let [created, destroyed] = [0, 0];
    for (const { name, args } of traceEvents) {
      if (name !== '[memory]' || args === undefined || args['Device Type'] === 0) continue;
      if (args.Bytes > 0) created++;
      else if (held.has(args.Addr)) destroyed++;
      if (args.Bytes > 0) held.set(args.Addr, args.Bytes);
      else held.delete(args.Addr);
    }
    const events = raw(timelineOf(await recordsOf('mi300_bert_small')));
    expect(events.filter(([, action]) => action === 1)).to.have.length(created);
    expect(events.filter(([, action]) => action === 3)).to.have.length(destroyed);
    expect(events.reduce((sum, [, , bytes]) => sum + bytes, 0)).to.equal([...held.values()].reduce((a, b) => a + b, 0));
    expect(created).to.be.above(10);
  });
});
