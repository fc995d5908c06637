/** SBUF and PSUM of Neuron cores over time. */
import { expect } from 'chai';
import { linesOf } from '../../support/notes.js';
import { Memory } from '../../../src/prof/memory/memory-report.js';
import type { ProfileLine } from '../../../src/record/record.js';
import { CAPTURES, realFile } from '../../parse/readers/neuron/tool-json-files.js';
import { neuronProfile, sample } from '../../support/neuron.js';
import { itShared } from '../../support/shared.js';

/** Points of each series of buffers, by device and metric. */
function curvesOf(lines: Iterable<ProfileLine>): Record<string, readonly (readonly [number, number])[]> {
  const memory = new Memory(10_000);
  for (const line of lines) memory.take(line);
  return Object.fromEntries(
    memory.reports.flatMap(({ device, series }) =>
      series
        .filter(({ metric }) => metric.endsWith('_usage'))
        .map(({ metric, curve }) => [`${device} ${metric}`, curve.points.map(({ at, value }) => [at, value] as const)]),
    ),
  );
}

describe('buffers of a Neuron core', () => {
  it('are in bytes of all partitions, one series whatever their parts', () => {
    // Trainium2: 128 partitions of 224 KiB, a quarter of them; 128 of 16 KiB, an eighth.
    const records = [
      sample('sb_usage', 0.25, { partition_0: 0.25, partition_32: 0.25 }, { start: 5 }),
      sample('psum_usage', 0.125, { bank_0: 1 }, { start: 5 }),
      sample('sb_usage', 0, { partition_0: 0 }, { start: 9 }),
    ];
    expect(curvesOf([neuronProfile(), ...records])).to.deep.equal({
      '4 sb_usage': [[5, 7_340_032], [9, 0]],
      '4 psum_usage': [[5, 262_144]],
    }); // prettier-ignore
  });

  it('of an unknown core are left out, and counted', () => {
    const memory = new Memory(10);
    memory.take(neuronProfile({ devices: [] }));
    memory.take(sample('sb_usage', 0.25, {}, { start: 5 }));
    memory.take(sample('memory', 8, { kind: 'IO' }, { start: null }));
    expect(linesOf(memory.finish().notes)).to.deep.equal(['1 sample left out: buffers of unknown size']);
  });

  for (const capture of CAPTURES) {
    itShared(`${capture}: are the tool's rows in whole bytes`, [capture], ([path = '']) => {
      const { tables, lines } = realFile(path);
      const curves = curvesOf(lines);
      const cores = new Map((tables['model_info'] ?? []).map((row) => [row['sg_name'], row['nc_idx']]));
      let points = 0;
      for (const [type, partition] of [['sb', 224 * 1024], ['psum', 16 * 1024]] as const) {
        const rows = (tables['instruction_usage'] ?? []).filter((row) => row['type'] === type);
        // Two rows may be of one time.
        const stated = new Map<string, number[]>();
        for (const row of rows) {
          const place = `${String(cores.get(row['subgraph']))} ${String(row['timestamp'])}`;
          stated.set(place, [...(stated.get(place) ?? []), Number(row['usage_avg']) * partition]);
        }
        const found = [4, 5].flatMap((core) => (curves[`${core} ${type}_usage`] ?? []).map(([at, value]) => [`${core} ${at}`, value] as const));
        expect(new Set(found.map(([place]) => place))).to.deep.equal(new Set(stated.keys()));
        for (const [place, bytes] of found) {
          const candidates = stated.get(place) ?? [];
          // Shares have 8 digits, and are of whole bytes of a partition.
          const isNear = (a: number, b: number): boolean => Math.abs(a - b) < 1e-6 * Math.max(1, b);
          for (const each of candidates) expect(isNear(each, Math.round(each))).to.equal(true);
          expect(candidates.some((each) => isNear(bytes / 128, Math.round(each))), `${place}: ${bytes}`).to.equal(true);
          points++;
        }
      }
      expect(points).to.be.above(100);
    }); // prettier-ignore
  }
});
