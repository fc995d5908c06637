import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseLiteral } from '../../../src/record/python/python-literal.js';
import { runCli } from '../../support/run-cli.js';
import { itShared, ROOT } from '../../support/shared.js';

/** Profiles, and what PyProf wrote of them. */
const PAIRS = [
  ['data/pyprof/nsys_1000.sqlite', 'data/pyprof/nvidia.nsys.dict'],
  ['data/pyprof/nsys_1000.sqlite', 'data/pyprof/pyprof2.nsys.dict'],
  ['data/pyprof/nvprof_1000.sql', 'data/pyprof/nvidia.nvprof.dict'],
  ['data/pyprof/nvprof_1000.sql', 'data/pyprof/pyprof2.nvprof.dict'],
  ['data/nvprof/lm_v100.net.sql', 'data/nvprof/lm_v100.net.dict'],
] as const;

/**
 * Where PyProf errs, ours differ: it sorts sequence numbers as text, knows `…Backward0` in some places only, changes a list
 * while it goes through it, numbers over all threads, and its demangler renders lambdas in another way.
 */
const DIFFERING = new Set(['seqMarker', 'seqId', 'altSeqId', 'subSeqId', 'dir', 'op', 'mod', 'kLongName']);

/** `subSeqId` by PyProf's rule: over calls with the same sequence id and op, and over the time steps of a cell. */
function countedOn(kernels: readonly Record<string, unknown>[]): number[] {
  let [seq, op, sub] = [-1, '', -1];
  return kernels.map(({ seqId, altSeqId, op: ops, mod }) => {
    const [own, others] = [seqId, altSeqId] as [number[], number[]];
    if (own.length + others.length === 0) return 0;
    const [before, next] = [{ seq, op }, JSON.stringify(ops)];
    [seq, op] = [own[0] ?? seq, next];
    const isCell = next.startsWith('["forward"') && /^\["(?:LSTM|GRU|RNN)Cell"/.test(JSON.stringify(mod));
    sub = next === before.op && (seq === before.seq || isCell) ? sub + 1 : 0;
    return sub;
  });
}

const lines = (text: string): string[] => text.trimEnd().split('\n');
const dictOf = (line: string): Record<string, unknown> => parseLiteral(line) as Record<string, unknown>;

describe('dparse -f pyprof', () => {
  for (const [profile, dicts] of PAIRS) {
    itShared(
      `writes of ${profile} what ${dicts} has, but for faults of PyProf`,
      [profile, dicts],
      async ([path = '', reference = '']) => {
        const { code, stdout } = await runCli('dparse', ['-q', '-f', 'pyprof', path]);
        const [ours, theirs] = [lines(stdout), lines(readFileSync(reference, 'utf8'))];
        expect([code, ours.length]).to.deep.equal([0, theirs.length]);
        const keys = ours.flatMap((line, i) => {
          const [a, b] = [dictOf(line), dictOf(theirs[i] ?? '')];
          expect(Object.keys(a)).to.deep.equal(Object.keys(b));
          return Object.keys(b).filter((key) => JSON.stringify(a[key]) !== JSON.stringify(b[key]));
        });
        expect([...new Set(keys)].filter((key) => !DIFFERING.has(key))).to.deep.equal([]);
        const counted = theirs.map((line) => dictOf(line)['subSeqId']);
        expect(countedOn(ours.map(dictOf))).to.deep.equal(counted);
      },
    );
  }

  it('is read again as the same kernels, and has lines for kernels only', async () => {
    const sample = join(ROOT, 'samples/lenet.nsys.sqlite');
    const dicts = await runCli('dparse', ['-q', '-f', 'pyprof', sample]);
    const records = await runCli('dparse', ['-q', sample]);
    const columns = [
      '--csv',
      '-q',
      '-c',
      'kernel,layer,trace,dir,mod,op,seq,altseq,tc,params,sil,flops,bytes,grid,block,stream',
    ];
    const [a, b] = [dicts, records].map(({ stdout }) => runCli('dprof', columns, { input: stdout }));
    expect((await a)?.stdout).to.equal((await b)?.stdout);
    expect(lines(dicts.stdout)).to.have.length(
      lines(records.stdout).filter((line) => line.startsWith('{"type":"kernel"')).length,
    );
  });

  it('names the formats when it does not know one', async () => {
    const { code, stderr } = await runCli('dparse', ['-f', 'pyprf', 'x']);
    expect([code, stderr]).to.deep.equal([2, "dparse: unknown output format 'pyprf' (did you mean pyprof?)\n"]);
  });
});
