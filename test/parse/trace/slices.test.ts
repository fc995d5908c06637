import { expect } from 'chai';
import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readProfile, type ProfileOptions } from '../../../src/parse/profile.js';
import { encodeLine } from '../../../src/record/jsonl.js';
import { Diagnostics, type CountedPart } from '../../../src/record/diagnostics.js';
import { UserError } from '../../../src/record/errors.js';
import type { ProfileLine } from '../../../src/record/record.js';
import { Noise } from '../../support/noise.js';
import { globalTid, NsightDatabase } from '../../support/nsight-database.js';
import { recordsOf } from '../../support/profile-records.js';
import { propertyRuns } from '../../support/property-runs.js';
import { samplesByFormat } from '../../support/samples-by-format.js';
import { itSlow } from '../../support/sets.js';
import { itShared, itSharedLong } from '../../support/shared.js';

type Options = Partial<ProfileOptions>;

interface Division {
  readonly threads: number;
  readonly size: number;
  /** The thread that takes a slice; in turn when not given. */
  readonly takerOf?: (slice: number) => number;
}

/**
 * The lines of a profile that several threads share, one thread after the other; null for a format whose records are not
 * cut into slices.
 */
function sharedLines(path: string, options: Options, { threads, size, takerOf }: Division): string[] | null {
  const lines: string[][] = [];
  const counted: CountedPart[] = [];
  const counts = new Map<string, number>();
  let end: ProfileLine | null = null;
  for (let thread = 0; thread < threads; thread++) {
    let slice = -1;
    const isMine = (each: number): boolean => (takerOf?.(each) ?? each % threads) === thread;
    const next = (): number => {
      do slice++;
      while (!isMine(slice));
      return slice;
    };
    const share = { size, next, end: (part: CountedPart) => void counted.push(part) };
    for (const record of readProfile(path, { profile: 0, ...options, share })) {
      if (slice === -1) return null;
      if (record.type !== 'end') (lines[slice] ??= []).push(encodeLine(record));
      else {
        end = record;
        for (const [type, n] of Object.entries(record.counts)) counts.set(type, (counts.get(type) ?? 0) + n);
      }
    }
  }
  const sums = Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  const whole = { ...(end as unknown as ProfileLine), counts: sums, diagnostics: Diagnostics.joined(counted) };
  return [...lines.flat(), encodeLine(whole)];
}

const linesOf = (path: string, options: Options = {}): string[] => recordsOf(path, options).map(encodeLine);

const DIVISIONS: readonly Division[] = [
  { threads: 2, size: 7 },
  { threads: 3, size: 20 },
  { threads: 8, size: 1 },
  // The second thread starts with the first slice and is soon alone.
  { threads: 2, size: 5, takerOf: (slice) => (slice % 9 === 1 ? 0 : 1) },
];

/** Divisions as in use, and for 2, 3 and 8 threads with slices that no profile is too small for. */
const LARGE_DIVISIONS: readonly Division[] = [
  { threads: 2, size: 4096 },
  { threads: 3, size: 50 },
  { threads: 8, size: 7 },
];

/** Whether the lines are the same however threads share the profile; false also for a format without slices. */
function expectSame(path: string, options: Options = {}, divisions = DIVISIONS): boolean {
  const whole = linesOf(path, options);
  for (const division of divisions) {
    const shared = sharedLines(path, options, division);
    if (shared === null) return false;
    expect(shared, `${basename(path)} ${JSON.stringify(division)}`).to.deep.equal(whole);
  }
  return true;
}

/** Ops as PyTorch 1.10 and before named them: which id counts depends on the kernels before. */
const OLD_OP = (seq: number): string => `relu, seq = ${seq}`;
const ENGINE = 'autograd::engine::evaluate_function: MulBackward0, op_id = 3';

describe('slices of a profile that several threads share', () => {
  it('make the same lines in all formats', () => {
    const sliced = [...samplesByFormat()].filter(([id, paths]) =>
      paths.every((path) => expectSame(path) && (id === 'ntff' || expectSame(path, { ranges: true, derived: true }))),
    );
    expect(sliced.map(([id]) => id)).to.include.members([
      'nsight',
      'nvprof',
      'kineto',
      'rocpd',
      'xplane',
      'ascend-db',
      'ntff',
    ]);
  });

  it('find ids that depend on kernels long before', () => {
    const database = new NsightDatabase();
    for (let n = 1; n <= 200; n++) database.launch(n, [OLD_OP(n === 20 ? 1000 : n)]);
    const path = database.write();
    const seqs = recordsOf(path).flatMap((record) => (record.type === 'kernel' ? [record.altSeq] : []));
    // From the 21st kernel on, the ids are older than 1000, which therefore stays the last id that counts.
    expect([seqs[18], seqs[20], seqs[199]]).to.deep.equal([[], [21], [200]]);
    expectSame(path);
  });

  it('find the caller that depends on kernels long before', () => {
    const [first, second, engine] = [globalTid(1), globalTid(2), globalTid(3)];
    const database = new NsightDatabase();
    database.range('first', 0, 30_000, { globalTid: first }).range('second', 500, 30_000, { globalTid: second });
    for (let n = 1; n <= 200; n++) database.launch(n, [ENGINE], { globalTid: engine });
    const path = database.write();
    const callers = recordsOf(path).flatMap((record) => (record.type === 'kernel' ? [record.callerRanges] : []));
    expect([callers[0], callers[199]]).to.deep.equal([['first'], ['first']]);
    expectSame(path);
  });

  it('count what is irregular once', () => {
    const database = new NsightDatabase();
    // Two ranges around many launches, one of them without text and one that is not a literal.
    database.range('', 50, 20_000).range("{'mod': 'torch', 'op': open('x')}", 60, 20_000);
    for (let n = 1; n <= 100; n++) database.launch(n, []);
    const path = database.write();
    expect(recordsOf(path).at(-1)).to.have.property('diagnostics').that.includes({ 'range-without-text': 1 });
    expectSame(path);
  });

  itSlow('make the same lines of random ranges, delays and threads', () => {
    for (let run = 0; run < propertyRuns(60); run++) expectSame(randomProfile(run));
  });

  itShared(
    'make the same lines of small real profiles',
    ['data/nsys', 'data/kineto', 'data/amd', 'data/xplane', 'data/neuron'],
    (folders) => {
      const files = folders.flatMap((folder) =>
        readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name))),
      );
      const small = files.filter((file) => statSync(file).isFile() && statSync(file).size < MOST_BYTES);
      const sliced = small.filter((file) => canBeRead(file) && expectSame(file, {}, [{ threads: 3, size: 100 }]));
      expect(sliced.length).to.be.above(20);
    },
  );

  itSharedLong('make the same lines of every real profile', ['data'], function ([folder = '']) {
    this.timeout(0);
    const files = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
    let compared = 0;
    for (const file of files.filter((each) => statSync(each).isFile() && canBeRead(each)))
      for (const options of [{}, { ranges: true }]) if (expectSame(file, options, LARGE_DIVISIONS)) compared++;
    process.stderr.write(`${compared} readings compared, each with ${LARGE_DIVISIONS.length} divisions\n`);
    expect(compared).to.be.above(100);
  });
});

/** Size of the largest real profiles that are read several times. */
const MOST_BYTES = 1e6;

function canBeRead(path: string): boolean {
  try {
    return recordsOf(path).length > 2;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}

/** Launches on several threads whose kernels start in another order, below ranges of all kinds. */
function randomProfile(seed: number): string {
  const noise = new Noise(seed);
  const upTo = (n: number): number => Math.floor(noise.uniform() * n);
  const database = new NsightDatabase();
  const threads = 1 + upTo(4);
  const texts = [
    () => OLD_OP(upTo(60)),
    () => `aten::mm, seq = ${upTo(60)}, op_id = ${upTo(1000)}, sizes = [[2, 4], [4, 8]]`,
    () => `MulBackward0, seq = ${upTo(60)}, op_id = ${upTo(1000)}`,
    () => ENGINE,
    () => `layer:l${upTo(5)}`,
    () => `step ${upTo(9)}`,
    () => '',
    () => "{'mod': 'torch', 'op': open('x')}",
  ];
  const allowed = texts.filter(() => noise.uniform() < 0.6);
  let at = 0;
  for (let n = 1; n <= 150; n++) {
    at += 20 + upTo(60);
    const thread = globalTid(1 + upTo(threads));
    if (noise.uniform() < 0.5) {
      const text = allowed[upTo(allowed.length)]?.() ?? 'range';
      database.range(text, at - upTo(30), at + upTo(noise.uniform() < 0.1 ? 3000 : 60), { globalTid: thread });
    }
    database.call({ start: at, end: at + 10 }, n, { globalTid: thread });
    const delay = noise.uniform() < 0.05 ? upTo(5000) : upTo(300);
    const kernels = noise.uniform() < 0.1 ? 3 : 1;
    for (let k = 0; k < kernels; k++)
      database.kernel({ start: at + 12 + delay + 7 * k, end: at + 17 + delay + 7 * k }, n, { streamId: upTo(3) });
  }
  return database.write();
}
