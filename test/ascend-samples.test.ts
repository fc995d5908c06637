import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ASCEND } from '../samples/programs/write-samples.js';
import { completeKernel } from '../src/record/fields/record-fields.js';
import { readProfile } from '../src/parse/profile.js';
import {
  STEP_METRIC,
  type EndRecord,
  type KernelRecord,
  type ProfileLine,
  type SampleRecord,
} from '../src/record/record.js';
import { ROOT } from './support/shared.js';

const DATABASE = 'ascend_pytorch_profiler_0.db';
const TRACE = 'ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json';
const at = (name: string): string => join(ROOT, 'samples', name);
const recordsOf = (name: string, ranges = false): ProfileLine[] => [...readProfile(at(name), { profile: 0, ranges })];
const kernelsOf = (name: string): KernelRecord[] =>
  recordsOf(name).filter((record) => record.type === 'kernel').map(completeKernel); // prettier-ignore

/** Fields that a database and a trace of one run have in common. */
const common = ({ labels, ranges, ...kernel }: KernelRecord): unknown => ({
  ...kernel,
  counters: {},
  labels: { ...labels, taskType: '' },
  ranges: ranges.filter((text) => text !== 'forward'),
});

describe('samples of Ascend', () => {
  it('are small', () => {
    const bytes = Object.keys(ASCEND).reduce((sum, name) => sum + readFileSync(at(name)).length, 0);
    expect(bytes).to.be.at.most(200_000);
  });

  it('have copies in the same steps as a database and as text', () => {
    const [database, text] = [DATABASE, TRACE].map((name) =>
      recordsOf(name).flatMap((record) => (record.type === 'copy' ? [[record.start, record.step]] : [])),
    );
    expect(text).to.deep.equal([[8000, 3], [380_140, 4]]); // prettier-ignore
    expect(text).to.deep.equal(database);
  });

  it('have the same kernels and memory as a database and as text', () => {
    const [database, text] = [kernelsOf(DATABASE), kernelsOf(TRACE)];
    expect(database).to.have.length(20);
    expect(text.map(common)).to.deep.equal(database.map(common));
    const samples = (name: string): unknown[] =>
      recordsOf(name)
        .filter((record): record is SampleRecord => record.type === 'sample' && record.metric !== STEP_METRIC)
        .map((record) => JSON.stringify(Object.entries(record).sort()))
        .sort();
    expect(samples(TRACE)).to.deep.equal(samples(DATABASE));
  });

  it('have no irregularities', () => {
    for (const name of [DATABASE, TRACE]) {
      const end = recordsOf(name).find((record): record is EndRecord => record.type === 'end');
      expect(end?.diagnostics, name).to.deep.equal({});
    }
  });

  it('show schema 1.2: blocks, ranges of program and device, size of the group, direction and bytes of copies', () => {
    const records = recordsOf(DATABASE, true);
    const texts = records.flatMap((record) => (record.type === 'range' ? [[record.text, record.tid]] : []));
    expect(texts).to.deep.include(['forward', 4242]).and.deep.include(['npu:0:forward', null]);
    expect(records.find(({ type }) => type === 'collective')).to.include({
      groupSize: 2,
      link: 'HCCS',
      bytes: 4194304,
    });
    expect(records.find(({ type }) => type === 'copy')).to.include({ kind: 'HtoD', bytes: 1024 * 512 * 2 });
    expect(kernelsOf(DATABASE)[0]).to.deep.include({ block: [20, 1, 1], engine: 'AI_CORE' });
  });

  it('show the rates of the cache and the times of collectives, which only text has', () => {
    const [matrix] = kernelsOf(TRACE);
    expect(matrix?.counters).to.include({ l2_hit_rate: 0.9, l2_victim_rate: 0.125 });
    const collective = recordsOf(TRACE).find((record) => record.type === 'collective');
    const times = ['Elapse', 'Transit', 'Wait', 'Synchronization', 'Idle'].map((name) => `${name} Time(ms)`);
    const rates = ['Transit Size(MB)', 'Transit Time(ms)', 'Bandwidth(GB/s)'].map((name) => `HCCS ${name}`);
    expect(collective?.counters).to.have.all.keys(...times, ...rates);
  });
});
