/** Samples as the tracks of a timeline: the values that commands print, of every vendor's profiles. */
import { expect } from 'chai';
import { join } from 'node:path';
import { Memory } from '../../../../src/prof/memory/memory-report.js';
import { TrackTable } from '../../../../src/prof/html/timeline/timeline-tracks.js';
import type { PackedTrack, PackedTracks } from '../../../../src/prof/html/timeline/timeline-data.js';
import type { Labels, ProfileLine, ProfileRecord, SampleRecord } from '../../../../src/record/record.js';
import { unpacked } from '../../../support/pages.js';
import { openedRecordsOf } from '../../../support/profile-records.js';
import { itShared, ROOT } from '../../../support/shared.js';

const sample = (metric: string, start: number | null, value: number | null, labels: Labels = {}, device: number | null = 0): SampleRecord => ({
  ...{ type: 'sample', profile: 0, start, device, metric, value, unit: 'bytes', labels },
}); // prettier-ignore

function tracksOf(records: Iterable<ProfileLine>, most?: number): PackedTracks {
  const table = new TrackTable(most);
  let header: ProfileRecord | null = null;
  for (const record of records) {
    if (record.type === 'profile') header = record;
    if (record.type === 'sample') table.take(record);
  }
  return table.tracks(header);
}

const pointsOf = ({ at, values }: PackedTrack): (readonly [at: number, value: number])[] => {
  const numbers = unpacked(values);
  return unpacked(at).map((time, i) => [time, numbers[i] ?? NaN] as const);
};

/** What a curve is at each of its times: of one time the last. */
const byTime = (points: Iterable<readonly [number, number]>): Map<number, number> => new Map(points);

/** Each curve of memory in bytes is in a track, point by point. @returns how many points were compared */
function compareMemory(records: readonly ProfileLine[]): number {
  const memory = new Memory(1e9);
  for (const record of records) memory.take(record);
  const { list } = tracksOf(records);
  let compared = 0;
  for (const { device, series } of memory.reports) {
    for (const { metric, of, curve } of series) {
      // Buffers are shares of their size there.
      if (metric.endsWith('_usage') || curve.points.every(({ value }) => value === 0)) continue;
      const group = device === null ? 'host' : `device ${device}`;
      const track = list.find((one) => {
        const isOfDevice = one.group === group || one.group.startsWith(`${group}:`);
        return isOfDevice && one.metric === metric && (one.name.endsWith(` ${of}`) || of === '');
      });
      expect(track?.width, `${group} ${metric} ${of}`).to.equal(0);
      if (track === undefined) continue;
      const drawn = byTime(pointsOf(track).filter(([, value]) => !Number.isNaN(value)));
      const printed = byTime(curve.points.map(({ at, value }) => [at, value] as const));
      expect([...drawn]).to.deep.equal([...printed]);
      expect(track.samples).to.equal(curve.points.length);
      compared += printed.size;
    }
  }
  return compared;
}

describe('tracks of samples', () => {
  it('are one a device, metric and component; of no quantity over time there is none', () => {
    const { list, zero, leftOut } = tracksOf([
      sample('memory_reserved', 5, 70, { component: 'CUDA' }),
      sample('memory_allocated', 5, 30, { component: 'CUDA' }),
      sample('memory_allocated', 6, 8, { component: 'CPU' }, null),
      sample('memory_allocated', 7, 0, { component: 'XLA' }),
      sample('power_draw', 7, 310, { sensor: 2 }),
      sample('op_memory', 7, 30, { op: 'mm' }),
      sample('step', 7, 3),
      sample('memory', null, 3),
      sample('flops', 8, 3, { range: 1, name: 'k' }),
    ]);
    expect(list.map(({ kind, group, name }) => [kind, group, name])).to.deep.equal([
      ['device', 'device 0', 'memory allocated CUDA'],
      ['host', 'host', 'memory allocated CPU'],
      ['device', 'device 0', 'memory reserved CUDA'],
      ['device', 'device 0', 'power draw sensor 2'],
    ]);
    expect([zero, leftOut]).to.deep.equal([1, 0]);
  });

  it('of many points share a bound, and short ones stay whole', () => {
    const long = Array.from({ length: 5000 }, (_, i) => sample('memory_allocated', 10 * i, i % 97));
    const short = Array.from({ length: 50 }, (_, i) => sample('memory_reserved', 1000 * i, i));
    const { list } = tracksOf(
      [...long, ...short].sort((a, b) => (a.start ?? 0) - (b.start ?? 0)),
      800,
    );
    expect(list.map(({ samples }) => samples)).to.deep.equal([5000, 50]);
    const [allocated, reserved] = list.map(pointsOf);
    expect(allocated).to.have.length.within(100, 800);
    expect(Math.max(...(allocated ?? []).map(([, value]) => value))).to.equal(96);
    expect(reserved).to.have.length(50);
  });

  it('beyond the bounds are counted', () => {
    const { list, leftOut } = tracksOf(
      Array.from({ length: 100 }, (_, i) => sample('memory_allocated', i, 1, { component: `c${i}` })),
    );
    expect([list.length, leftOut]).to.deep.equal([64, 36]);
  });

  for (const name of ['lenet.pt.trace.json.gz', 'ascend_pytorch_profiler_0.db']) {
    it(`are what dprof memory prints: ${name}`, async () => {
      compareMemory(await openedRecordsOf(join(ROOT, 'samples', name)));
    });
  }
  for (const name of [
    'kineto/h100_qwen.json.gz',
    'ascend/db_level2_rank1/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_1.db',
    'ascend/text_level1_rank0/ASCEND_PROFILER_OUTPUT/trace_view.json',
  ]) {
    itShared(`are what dprof memory prints: ${name}`, [`data/${name}`], async ([path = '']) => {
      expect(compareMemory(await openedRecordsOf(path))).to.be.above(20);
    });
  }

  itShared('of a Neuron capture are the rows of the tool', ['data/neuron/trn2_fused_bf16_s512/fused_exec_2_profile_full.json'], async ([path = '']) => {
    const records = await openedRecordsOf(path);
    const { list } = tracksOf(records);
    for (const metric of ['dma_transfer_rate', 'pending_dma', 'sb_usage', 'psum_usage', 'throttle']) {
      const samples = records.filter((record) => record.type === 'sample').filter((one) => one.metric === metric);
      expect(samples, metric).not.to.deep.equal([]);
      for (const core of new Set(samples.map(({ device }) => device))) {
        const known = samples.flatMap(({ device, start, value }) =>
          device !== core || start === null || value === null ? [] : [[start, value] as const],
        );
        const own = list.filter((track) => track.metric === metric && track.group.startsWith(`device ${core}`));
        const points = own.flatMap(pointsOf).filter(([, value]) => !Number.isNaN(value));
        expect([...byTime(points)], metric).to.deep.equal([...byTime(known)]);
      }
    }
  }); // prettier-ignore
});
