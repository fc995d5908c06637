import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { traceName } from '../../samples/programs/job/context.js';
import type { Injections } from '../../samples/programs/job/options.js';
import { jobRecords } from '../../samples/programs/job/records.js';
import { simulateJob } from '../../samples/programs/job/simulate.js';
import { jobTrace } from '../../samples/programs/job/trace.js';
import { messagesOf } from '../../samples/programs/job/truth.js';
import { writeJob } from '../../samples/programs/job/write-job.js';
import { freshPath } from '../support/fresh-path.js';

const SIZE = '--tp 2 --pp 2 --dp 1 --steps 2 --layers 1 --micro-batches 2 --seed 3 --ranks-per-node 2'.split(' ');
const REQUEST = { tp: 2, pp: 2, dp: 1, steps: 2, layers: 1, microBatches: 2, seed: 3, ranksPerNode: 2 };

/** A folder with a job. */
function written(...args: readonly string[]): string {
  const folder = freshPath('job');
  writeJob([...SIZE, ...args, '-o', folder]);
  return folder;
}

const textOf = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8');
const linesOf = (text: string): unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));

describe('written jobs', () => {
  it('have a trace of each rank and the truth', () => {
    const folder = written();
    const job = simulateJob(REQUEST);
    const traces = job.ranks.map(({ rank }) => traceName(rank));
    expect(readdirSync(folder).sort()).to.deep.equal(['messages.jsonl', ...traces, 'truth.json']);
    job.ranks.forEach(({ rank }) => {
      const bytes = gunzipSync(readFileSync(join(folder, traceName(rank))));
      expect(bytes.equals(jobTrace(job, rank))).to.equal(true);
    });
    const truth = JSON.parse(textOf(folder, 'truth.json')) as { readonly ranks: readonly unknown[] };
    expect(truth.ranks[1]).to.deep.include({ rank: 1, host: 'node-000', clock: job.draws[1]?.clock });
    const messages = linesOf(textOf(folder, 'messages.jsonl')) as { readonly transferNs: number }[];
    expect(messages.map(({ transferNs }) => transferNs)).to.deep.equal(
      [...messagesOf(job)].map(({ transferNs }) => transferNs),
    );
  });

  it('have records instead of traces, of an older format too', () => {
    const folder = written('--records', '--no-ordinals', '--no-descriptions', '--clocks', 'none');
    const job = simulateJob({ ...REQUEST, clocks: 'none' });
    const expected = [...jobRecords(job, 2, { ordinals: false, descriptions: false, profile: 0 })];
    expect(linesOf(textOf(folder, 'rank_2.jsonl'))).to.deep.equal(JSON.parse(JSON.stringify(expected)));
  });

  const INJECTIONS: readonly (readonly [string, string, Injections])[] = [
    ['--slow-layer', '3:0:1.07', { slowLayer: { rank: 3, layer: 0, factor: 1.07 } }],
    ['--slow-node', '1:1.5', { slowNode: { node: 1, factor: 1.5 } }],
    ['--slow-link', '2:4', { slowLink: { rank: 2, factor: 4 } }],
    ['--slow-link', '2:4:tensor', { slowLink: { rank: 2, factor: 4, kind: 'tensor' } }],
    ['--data-loading', '1:5000000', { dataLoading: { rank: 1, ns: 5_000_000 } }],
  ];
  for (const [option, value, inject] of INJECTIONS) {
    it(`have what ${option} ${value} says`, () => {
      const truth = JSON.parse(textOf(written(option, value), 'truth.json')) as { readonly inject: Injections };
      expect(truth.inject).to.deep.equal(inject);
    });
  }

  it('refuse an invalid number, kind of group, or place', () => {
    for (const args of [
      ['--slow-node', '1:fast'],
      ['--slow-layer', '1'],
      ['--slow-link', '1:2:fast'],
    ]) {
      expect(() => written(...args), args.join(' ')).to.throw(args[0] ?? '');
    }
    expect(() => writeJob(SIZE)).to.throw('-o DIR');
  });
});
