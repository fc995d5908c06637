import { expect } from 'chai';
import { chooseColumns } from '../../../src/prof/columns/columns.js';
import { parseWhere } from '../../../src/prof/query/kernel-query.js';
import { Sequences, type SequenceFacts, type SequenceOptions } from '../../../src/prof/sequences/sequences.js';
import type { CopyLine, KernelRecord, ProfileLine } from '../../../src/record/record.js';
import { kernel } from '../../support/kernels.js';
import { takeAll } from '../../support/rows.js';

/** Kernels one after another: each takes 2 us, begins 1 us after the one before, and was launched in 3 us. */
const inOrder = (names: string, fields: Partial<KernelRecord> = {}): KernelRecord[] =>
  names.split('').map((short, i) =>
    kernel({
      ...{ id: i + 1, short, name: short, start: 3000 * i, dur: 2000, corr: i },
      ...{ launch: { api: 'cudaLaunchKernel', start: 10 * i, dur: 3000 } },
      ...fields,
    }),
  );

const copyAt = (start: number, stream: number): CopyLine => ({
  ...{ type: 'copy', profile: 0, start, dur: 100, device: 0, stream, bytes: 4, kind: 'DtoD' },
  ...{ pid: 10, tid: 100, corr: null, launch: null },
});

function factsOf(records: readonly ProfileLine[], options: Partial<SequenceOptions> = {}): SequenceFacts {
  const sequences = new Sequences({ keys: chooseColumns('kernel'), length: null, most: 10, ...options });
  takeAll(records, sequences);
  return sequences.finish().facts;
}

const shown = (facts: SequenceFacts): string[] =>
  facts.rows.map(({ count, sequence, saved }) => `${count} ${sequence.join('')} ${saved}`);

describe('sequences of kernels', () => {
  it('prefers the longest one of equal count, with its sums', () => {
    const facts = factsOf(inOrder('abcxabcyabc'));
    // 9 kernels of 2 us, and 2 gaps of 1 us in each of 3 occurrences.
    expect(facts.rows).to.deep.equal([
      {
        ...{ sequence: ['a', 'b', 'c'], count: 3, time: 18_000, small: 18_000, gaps: 6_000 },
        // Launched in 3 us each.
        launched: { count: 3, launch: 27_000, device: 24_000 },
        ...{ saved: 24_000, share: 18 / 22 },
      },
    ]);
    expect(facts).to.include({ kernels: 11, time: 22_000, streams: 1 });
  });

  it('counts none twice: neither a rotation, nor one that overlaps itself', () => {
    // abab… eight times: 8 pairs of 4 us and 8 gaps.
    expect(shown(factsOf(inOrder('abababababababab')))).to.deep.equal(['8 ab 40000']);
    expect(shown(factsOf(inOrder('aaaaaaa')))).to.deep.equal(['3 aa 15000']);
    expect(shown(factsOf(inOrder('abababab'), { length: 4 }))).to.deep.equal(['2 abab 22000']);
  });

  it('does not end at a copy whose time is unknown, wherever its record is', () => {
    const records = inOrder('abxab');
    // Two pairs of 4 us and a gap of 1 us each.
    expect(shown(factsOf([...records.slice(0, 1), copyAt(NaN, 7), ...records.slice(1)]))).to.deep.equal(['2 ab 10000']);
    expect(shown(factsOf([...records.slice(0, 1), copyAt(2500, 7), ...records.slice(1)]))).to.deep.equal([]);
  });

  it('counts only small kernels as saved', () => {
    const records = inOrder('abab').map((one, i) => (i % 2 === 0 ? { ...one, start: 50_000 * i, dur: 49_000 } : { ...one, start: 50_000 * i })); // prettier-ignore
    // b takes 2 us twice, and follows a after 1 us.
    expect(shown(factsOf(records))).to.deep.equal(['2 ab 6000']);
    const [row] = factsOf(records).rows;
    expect(row).to.include({ time: 102_000, small: 4_000, gaps: 2_000 });
  });

  it('keeps streams, devices and profiles apart', () => {
    const alternating = inOrder('abcabcabcabcabc').map((one, i) => ({ ...one, stream: i % 3 }));
    // On each stream five kernels of 2 us, one every 9 us.
    expect(shown(factsOf(alternating)).sort()).to.deep.equal(['2 aa 22000', '2 bb 22000', '2 cc 22000']);
    const twice = [...inOrder('ab'), ...inOrder('ab', { device: 1 })];
    expect(shown(factsOf(twice))).to.deep.equal(['2 ab 10000']);
    expect(shown(factsOf([...inOrder('a'), ...inOrder('b', { device: 1 }), ...inOrder('ab', { stream: 9 })]))).to.deep.equal([]); // prettier-ignore
  });

  it('does not continue over a copy on the stream, communication, or a long wait', () => {
    const kernels = inOrder('abab');
    const between = [2400, 8400].map((start) => copyAt(start, 7));
    const sorted = [...kernels, ...between].sort((a, b) => a.start - b.start);
    expect(shown(factsOf(sorted))).to.deep.equal([]);
    expect(shown(factsOf([...kernels, ...between.map((one) => ({ ...one, stream: 8 }))]))).to.deep.equal(['2 ab 10000']); // prettier-ignore
    const late = kernels.map((one, i) => ({ ...one, start: 1_100_000 * i }));
    expect(shown(factsOf(late))).to.deep.equal([]);
    const nccl = kernels.map((one) => (one.short === 'b' ? { ...one, name: 'ncclKernel', short: 'ncclKernel' } : one));
    expect(shown(factsOf(nccl))).to.deep.equal([]);
  });

  it('does not continue over kernels that no kernel could include: fills, and transfers of XLA', () => {
    const [fill, done] = ['__amd_rocclr_fillBufferAligned', 'copy-done.5'];
    const named = (name: string, labels = {}): ProfileLine[] =>
      inOrder('abab').map((one) => (one.short === 'b' ? { ...one, name, short: name, labels } : one));
    expect(shown(factsOf(named(fill)))).to.deep.equal([]);
    expect(shown(factsOf(named(done, { category: 'copy-done' })))).to.deep.equal([]);
    expect(factsOf(named('other')).rows).to.have.length(1);
  });

  it('takes any columns as names, and only the chosen kernels', () => {
    const records = inOrder('abcabc').map((one) => ({ ...one, op: [one.short === 'c' ? 'add' : 'mul'] }));
    const keys = chooseColumns('op');
    expect(factsOf(records, { keys }).rows[0]?.sequence).to.deep.equal(['mul', 'mul', 'add']);
    const where = parseWhere('op==mul');
    expect(shown(factsOf(records, { where }))).to.deep.equal(['2 ab 10000']);
  });

  it('has launch times of the occurrences that were launched one by one', () => {
    const graph = { id: 1, node: 1 } as unknown as NonNullable<KernelRecord['graph']>;
    const [row] = factsOf(inOrder('abab').map((one, i) => (i === 3 ? { ...one, graph } : one))).rows;
    expect(row?.launched).to.deep.equal({ count: 1, launch: 6_000, device: 5_000 });
  });

  it('says that nothing repeats, and needs kernels', () => {
    expect(factsOf(inOrder('abcd')).rows).to.deep.equal([]);
    expect(() => factsOf([])).to.throw('no kernels');
  });

  it('counts each as often as a search of the text finds it', () => {
    let seed = 1;
    const letters = Array.from({ length: 400 }, () => 'abc'[(seed = (seed * 48271) % 2147483647) % 3]).join('');
    const [best] = factsOf(inOrder(letters), { length: 3 }).rows;
    const counts = new Map<string, number>();
    for (let at = 0; at + 3 <= letters.length; at++) {
      const part = letters.slice(at, at + 3);
      counts.set(part, letters.split(part).length - 1);
    }
    expect(best?.count).to.equal(Math.max(...counts.values()));
    expect(counts.get(best?.sequence.join('') ?? '')).to.equal(best?.count);
  });
});
