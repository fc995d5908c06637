import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { ORIGIN_UNIX_NS } from '../../samples/programs/job/clocks.js';
import { traceName } from '../../samples/programs/job/context.js';
import { jobRecords } from '../../samples/programs/job/records.js';
import { simulateJob } from '../../samples/programs/job/simulate.js';
import { jobTrace } from '../../samples/programs/job/trace.js';
import { programOf } from '../../samples/programs/job/truth.js';
import type { ProfileLine, ProfileRecord } from '../../src/record/record.js';
import { freshPath } from '../support/fresh-path.js';
import { recordsOf } from '../support/profile-records.js';

const TINY = { tp: 2, pp: 2, dp: 2, steps: 2, layers: 2, microBatches: 2 };

type Fields = Readonly<Record<string, unknown>>;

/** Fields that must be in both, so that comparing what both have compares something. */
const BOTH: Readonly<Record<string, string>> = {
  profile: 'type v profile format tool file rank startUnixNs dur devices',
  kernel: 'id name short start dur device stream grid block pid tid corr launch dir layer trace calls mod op seqMarker seq altSeq sub repr ranges step', // prettier-ignore
  copy: 'kind bytes hostMemory start dur device stream pid tid corr launch step',
  sample: 'start dur device metric value unit labels',
  end: 'counts diagnostics',
};

/** The part of a record that another one has too. */
function inBoth(record: Fields, other: Fields): Fields {
  const keys = Object.keys(record).filter((key) => key in other);
  return Object.fromEntries(
    keys.map((key) => {
      const [own, others] = [record[key], other[key]];
      const nested = key === 'collective' ? inBoth(own as Fields, others as Fields) : own;
      return [key, nested];
    }),
  );
}

const fieldsOf = (record: ProfileLine): Fields => record as unknown as Fields;

describe('records of simulated jobs', () => {
  for (const options of [{}, { ordinals: false, descriptions: false }]) {
    it(`are those that are read from the trace (${JSON.stringify(options)})`, () => {
      const job = simulateJob({ ...TINY, inject: { slowLayer: { rank: 5, layer: 1, factor: 1.5 } } });
      for (const rank of [0, 5]) {
        const path = freshPath('trace.json');
        writeFileSync(path, jobTrace(job, rank, options));
        const read = recordsOf(path, { name: traceName(rank) }).map(fieldsOf);
        const own = [...jobRecords(job, rank, { ...options, profile: 0 })].map(fieldsOf);
        expect(own.length).to.equal(read.length);
        own.forEach((record, i) => {
          const other = read[i] ?? {};
          expect(inBoth(record, other)).to.deep.equal(inBoth(other, record));
          expect(Object.keys(inBoth(record, other))).to.include.members(BOTH[String(record['type'])]?.split(' ') ?? []);
          expect('collective' in record).to.equal('collective' in other);
        });
      }
    });
  }

  it('are on the clock of each rank, exactly', () => {
    const job = simulateJob(TINY);
    for (const { rank } of job.ranks) {
      const { offsetNs, drift } = job.draws[rank]?.clock ?? { offsetNs: NaN, drift: NaN };
      expect(Math.abs(offsetNs)).to.be.at.most(1e9);
      expect(Math.abs(drift)).to.be.at.most(50e-6);
      const [profile, ...records] = jobRecords(job, rank);
      const origin = Number(BigInt((profile as ProfileRecord).startUnixNs ?? 0) - ORIGIN_UNIX_NS);
      const kernels = records.filter((record) => record.type === 'kernel');
      const times = kernels.map(({ corr, start, dur }) => [corr, origin + start, origin + start + (dur ?? NaN)]);
      const expected = programOf(job, rank)
        .ops.filter(({ copy }) => copy === null)
        .map(({ index }) => [
          index + 1,
          ...[job.starts, job.ends].map((all) => {
            const time = all[rank]?.[index] ?? NaN;
            return Math.round(time + offsetNs + drift * time);
          }),
        ]);
      expect(times).to.have.deep.members(expected);
    }
  });

  it('are in order of start time, begin with the profile and end with what was written', () => {
    const records = [...jobRecords(simulateJob(TINY), 3)];
    const starts = records.flatMap((record) => ('start' in record && record.start !== null ? [record.start] : []));
    expect(starts).to.deep.equal([...starts].sort((a, b) => a - b));
    expect(records[0]).to.include({ type: 'profile', rank: 3, worldSize: 8, host: 'node-000' });
    const count = (type: string): number => records.filter((record) => record.type === type).length;
    expect(records.at(-1)).to.deep.include({
      type: 'end',
      counts: { kernel: count('kernel'), copy: count('copy'), sample: TINY.steps },
    });
  });

  it('say who is at the other end, and which message it is, unless the format does not', () => {
    const job = simulateJob(TINY);
    const collectives = (ordinals: boolean) =>
      [...jobRecords(job, 1, { ordinals })].flatMap((record) =>
        record.type === 'kernel' && record.collective !== undefined ? [record.collective] : [],
      );
    const sends = collectives(true).filter(({ op }) => op === 'send');
    expect(sends.map(({ ordinal, peer }) => [ordinal, peer])).to.deep.equal([[0, 5], [1, 5], [2, 5], [3, 5]]); // prettier-ignore
    for (const collective of collectives(false)) expect(collective).to.not.have.any.keys('ordinal', 'peer');
  });

  it('leave out what groups are called, where asked to', () => {
    const [named, plain] = [true, false].map((descriptions) => [...jobRecords(simulateJob(TINY), 0, { descriptions })][0] as ProfileRecord); // prettier-ignore
    expect(named?.groups?.map(({ name, description, ranks }) => [name, description, ranks])).to.deep.equal([
      ['0', 'default_pg', [0, 1, 2, 3, 4, 5, 6, 7]],
      ['1', 'DATA_PARALLEL_GROUP', [0, 2]],
      ['5', 'TENSOR_MODEL_PARALLEL_GROUP', [0, 1]],
      ['9', 'PIPELINE_MODEL_PARALLEL_GROUP', [0, 4]],
    ]);
    expect(plain?.groups?.map(({ description }) => description)).to.deep.equal([null, null, null, null]);
  });
});
