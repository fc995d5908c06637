import { expect } from 'chai';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { basesOf, READER_NAMES, samplesOf } from '../../bench/fuzz/bases.js';
import type { Base, Files, ReaderName } from '../../bench/fuzz/input.js';
import { inputsOf, type InputPlan } from '../../bench/fuzz/inputs.js';
import { JSON_MUTATIONS } from '../../bench/fuzz/mutations/json.js';
import { SQL_MUTATIONS } from '../../bench/fuzz/mutations/sql.js';
import { Random } from '../../bench/fuzz/random.js';
import { isFinding, Reading, type Outcome } from '../../bench/fuzz/reading.js';
import { supervise } from '../../bench/fuzz/supervisor.js';
import { Tally } from '../../bench/fuzz/tally.js';
import { partialOf } from '../../bench/fuzz/written.js';
import type { ProfileLine } from '../../src/record/record.js';
import { recordsOf } from '../support/profile-records.js';
import { itWithProcess } from '../support/sets.js';
import { ROOT } from '../support/shared.js';

/** The samples alone, so that every checkout reads the same. */
const plan = (readers: readonly ReaderName[], seed: number): InputPlan => ({
  readers,
  seed,
  sectors: false,
  withShared: false,
});

/** Whatever TEST_RUNS says: `npm run fuzz`, a part of the long check, makes thousands. */
const RUNS_A_READER = 1;

/** Times are not compared: they depend on what else the machine does. */
const isBroken = (outcome: Outcome): boolean => isFinding(outcome) && !/^took \d+ ms/.test(outcome.what);

/** The first sample of a reader. */
function sampleOf(reader: ReaderName): { readonly base: Base; readonly bytes: Buffer } {
  const [base] = basesOf(reader, false);
  const bytes = base?.files[base.input];
  if (base === undefined || bytes === undefined) throw new Error(`no sample for ${reader}`);
  return { base, bytes };
}

describe('damaged inputs', () => {
  itWithProcess('of every reader give a result or an error for the user', async () => {
    const inputs = inputsOf(plan(READER_NAMES, 20));
    const outcomes: Outcome[] = [];
    const runs = RUNS_A_READER * READER_NAMES.length;
    await supervise({ plan: plan(READER_NAMES, 20), inputs }, 0, runs, (outcome) => outcomes.push(outcome));
    expect(outcomes.filter(isBroken)).to.deep.equal([]);
    expect(new Set(outcomes.map(({ run }) => run))).to.have.property('size', runs);
    // Damage that is always reported, or never, would test one way only.
    for (const is of ['result', 'rejection'])
      expect(outcomes.filter((each) => each.is === is)).to.have.length.above(runs / 8);
  });

  it('are the same for the same seed and run, whatever ran before and whichever readers run too', () => {
    const alone = inputsOf(plan(['neuron-summary'], 5));
    const beside = inputsOf(plan(['neuron-monitor', 'neuron-summary'], 5));
    alone.at(3);
    expect(beside.at(17).files).to.deep.equal(alone.at(8).files);
    expect(beside.at(17).repeat).to.equal('--only neuron-summary --seed 5 --from 8 --runs 1');
    const texts = Array.from({ length: 20 }, (_, run) =>
      alone.at(run).files['neuron-summary.json']?.toString('latin1'),
    );
    expect(new Set(texts)).to.have.property('size').above(15);
  });

  it('of a sweep have one sector zero, or in the place of the next', () => {
    const inputs = inputsOf({ ...plan(['ascend'], 1), sectors: true });
    const [base] = samplesOf('ascend');
    const bytes = base?.files[base.input];
    if (base === undefined || bytes === undefined) throw new Error('no sample');
    const sectors = bytes.length / 512;
    expect(inputs.count).to.equal(2 * sectors);
    const [zeroed, doubled] = [2, sectors + 2].map((run) => inputs.at(run).files[base.input] ?? Buffer.alloc(0));
    expect(zeroed?.equals(Buffer.concat([bytes.subarray(0, 1024), Buffer.alloc(512), bytes.subarray(1536)]))).to.equal(
      true,
    );
    const repeated = [bytes.subarray(0, 1536), bytes.subarray(1024, 1536), bytes.subarray(2048)];
    expect(doubled?.equals(Buffer.concat(repeated))).to.equal(true);
  });
});

describe('mutations', () => {
  it('of values, keys and members leave JSON, mostly', () => {
    const { bytes } = sampleOf('neuron-json');
    for (const [name, mutation] of Object.entries(JSON_MUTATIONS)) {
      const texts = Array.from({ length: 20 }, (_, run) => mutation(bytes, new Random(1, run))?.bytes.toString('utf8'));
      const isJson = (text: string | undefined): boolean => {
        try {
          return text !== undefined && text !== bytes.toString('utf8') && typeof JSON.parse(text) === 'object';
        } catch {
          return false;
        }
      };
      if (name !== 'tokens changed') expect(texts.filter(isJson), name).to.have.length.above(13);
    }
  });

  it('of cells, columns, tables and rows leave a database, and the bytes that they were given', () => {
    const { bytes } = sampleOf('ascend');
    const before = Buffer.from(bytes);
    for (const [name, mutation] of Object.entries(SQL_MUTATIONS)) {
      const mutated = Array.from({ length: 8 }, (_, run) => mutation(bytes, new Random(1, run))).filter((each) => each !== null); // prettier-ignore
      expect(mutated, name).to.have.length.above(1);
      for (const each of mutated) {
        const database = new Database(each.bytes);
        expect(database.pragma('integrity_check', { simple: true }), name).to.equal('ok');
        database.close();
      }
      expect(mutated.some((each) => !each.bytes.equals(before)), name).to.equal(true); // prettier-ignore
    }
    expect(bytes.equals(before)).to.equal(true);
  });
});

describe('a damaged input that is read', () => {
  const outcomeOf = async (bytes: Buffer, lost: number): Promise<Outcome> => {
    const { base } = sampleOf('kineto');
    const reading = new Reading();
    try {
      const files = { [base.input]: bytes };
      const of = { damaged: [base.input], unnoticed: [base.input], random: new Random(1, 1), repeat: '' };
      const damaged = { base, files, mutation: 'm', kernels: { lost, added: 0 }, ...of };
      return await reading.read(0, damaged);
    } finally {
      reading.dispose();
    }
  };

  it('is wrong where kernels are lost that the damage left', async () => {
    const { bytes } = sampleOf('kineto');
    const text = bytes.toString('utf8');
    const without = Buffer.from(text.replace(/"cat": ?"[Kk]ernel"/, '"cat": "x"'));
    expect(await outcomeOf(bytes, 0)).to.include({ is: 'result', what: '' });
    expect(await outcomeOf(without, 1)).to.include({ is: 'result' });
    const outcome = await outcomeOf(without, 0);
    expect(outcome).to.include({ is: 'wrong' });
    expect(outcome.what).to.match(/^dparse: \d+ kernels, not \d+ \(-0 \+0\)$/);
  });

  it('is wrong where kernels of what has checksums are lost, and nothing is said', async () => {
    const records = recordsOf(join(ROOT, 'samples/lenet.nsys.sqlite'));
    const base: Base = { reader: 'partial', name: 'net.part', ...partialOf(records) };
    const bytes = base.files[base.input] ?? Buffer.alloc(0);
    const reading = new Reading();
    const read = (files: Files): Promise<Outcome> =>
      reading.read(0, { base, files, mutation: 'm', damaged: [], unnoticed: [], random: new Random(1, 1), repeat: '' });
    try {
      expect(await read(base.files))
        .to.have.property('is')
        .not.equal('wrong');
      // Whole, of the same profile without its first kernel.
      const fewer = records.flatMap((record): ProfileLine[] => {
        if (record.type === 'end') return [{ ...record, counts: { ...record.counts, kernel: 125 } }];
        return record.type === 'kernel' && record.id === 1 ? [] : [record];
      });
      expect(await read(partialOf(fewer).files)).to.include({
        is: 'wrong',
        what: 'dprof --by kernel: 125 kernels, not 126, without a word',
      });
      const cut = await read({ [base.input]: bytes.subarray(0, bytes.length / 2) });
      expect(cut).to.include({ is: 'rejection' });
    } finally {
      reading.dispose();
    }
  });

  it('has several of its files damaged, and those beside it, with the options that name them', () => {
    const inputs = inputsOf(plan(['ncu-sidecar'], 1));
    const damaged = Array.from({ length: 60 }, (_, run) => inputs.at(run));
    const changed = damaged.map(
      ({ base, files }) =>
      Object.keys(base.files).filter((name) => files[name] !== base.files[name]).sort().join(), // prettier-ignore
    );
    expect(new Set(changed)).to.include.keys('raw.csv', 'lenet-2021.pt.trace.json', 'lenet-2021.pt.trace.json,raw.csv');
    for (const { base } of damaged) expect(base.options).to.deep.equal(['--ncu', Object.keys(base.files).find((name) => name.endsWith('.csv'))]); // prettier-ignore
  });

  const folderOf = (lost: string): readonly [Base, Files] => {
    const base = basesOf('folder', false).find(({ name }) => name.startsWith('ranks, one'));
    if (base === undefined) throw new Error('no folder');
    // The first of eight kernels of a rank is none.
    const changed = Buffer.from(
      (base.files[lost]?.toString('utf8') ?? '').replace(/"cat": ?"[Kk]ernel"/, '"cat": "x"'),
    );
    return [base, { ...base.files, [lost]: changed }];
  };

  it('is wrong where a file of a folder lost kernels that its damage cannot hide', async () => {
    const [base, files] = folderOf('rank_1.json');
    const reading = new Reading();
    const read = (unnoticed: readonly string[]): Promise<Outcome> =>
      reading.read(0, { base, files, mutation: 'm', damaged: ['rank_1.json'], unnoticed, random: new Random(1, 4), repeat: '' }); // prettier-ignore
    try {
      expect(await read(['rank_1.json'])).to.include({ is: 'result' });
      expect(await read(['rank_2.json'])).to.include({ is: 'result' });
      const outcome = await read([]);
      expect(outcome.what).to.equal('dparse: 23 kernels, not 24 and more, without a word');
    } finally {
      reading.dispose();
    }
  });

  it('may lose kernels without a word where nothing in the file can show it', () => {
    const inputs = inputsOf(plan(['packed'], 1));
    const damaged = Array.from({ length: 200 }, (_, run) => inputs.at(run)).filter(({ base }) => base.name === 'raw.csv.gz'); // prettier-ignore
    const noticed = new Set(damaged.filter((each) => each.unnoticed.length === 0).map(({ mutation }) => mutation));
    // Of the bytes of gzip, which has a checksum; not of lines of what is packed again.
    expect(noticed).to.include('bytes').and.not.include('row doubled');
    expect(damaged.filter(({ mutation }) => mutation === 'cell changed').every((each) => each.unnoticed.length === 1)).to.equal(true); // prettier-ignore
  });

  it('is a rejection where dparse says what is wrong', async () => {
    const outcome = await outcomeOf(Buffer.from('{"traceEvents": 5}'), 1000);
    expect(outcome).to.include({ is: 'rejection' });
  });
});

describe('the tally of damaged inputs', () => {
  it('has a row a reader, and each finding once with the arguments that repeat it', () => {
    const tally = new Tally();
    const run = { run: 0, base: 'a', mutation: 'm', repeat: '--from 4', milliseconds: 5, peak: 200e6 } as const;
    const add = (outcome: Pick<Outcome, 'reader' | 'is' | 'what'>): boolean => tally.add({ ...run, ...outcome });
    expect(add({ reader: 'ntff', is: 'result', what: '' })).to.equal(false);
    expect(add({ reader: 'ntff', is: 'rejection', what: 'is broken' })).to.equal(false);
    expect(add({ reader: 'neff', is: 'internal error', what: 'dparse: TypeError at byte 17' })).to.equal(true);
    expect(add({ reader: 'neff', is: 'internal error', what: 'dparse: TypeError at byte 1234' })).to.equal(false);
    const lines = tally.report().split('\n').map((line) => line.trim().split(/ {2,}/)); // prettier-ignore
    expect(lines.slice(1, 3)).to.deep.equal([
      ['ntff', '2', '1', '1', '0', '0', '0', '5', '200'],
      ['neff', '2', '0', '0', '2', '0', '0', '5', '200'],
    ]);
    expect(lines[3]).to.deep.equal([
      'internal error: neff a, m: dparse: TypeError at byte 17; npm run fuzz -- --from 4 (2 runs)',
    ]);
  });
});
