import { expect } from 'chai';
import { completeKernel } from '../../../../src/record/fields/record-fields.js';
import type { KernelLine } from '../../../../src/record/record.js';
import {
  InstructionDependencies,
  dependencyText,
  type ResolvedDependency,
} from '../../../../src/prof/neuron/instructions/dependencies.js';
import { CAPTURES, ofType, realFile } from '../../../parse/readers/neuron/tool-json-files.js';
import { instruction } from '../../../support/neuron.js';
import { itShared } from '../../../support/shared.js';

const copy = instruction('COPY', 'Scalar', 10, 5, {
  id: 1,
  operands: 'S[4] (Scalar)++@complete',
  labels: { id: '91' },
});
const product = instruction('MATMUL', 'Tensor', 20, 5, {
  ...{ id: 2, operands: 'S[4] (Scalar)>=1', labels: { id: '92' } },
  after: [{ id: '91', kind: 'flow' }],
});

function lastOf(...lines: readonly KernelLine[]): readonly ResolvedDependency[] {
  const dependencies = new InstructionDependencies();
  return lines.map((line) => dependencies.take(completeKernel(line))).at(-1) ?? [];
}

const texts = (found: readonly ResolvedDependency[], start: number): string[] =>
  found.map((each) => dependencyText(each, start));

describe('what an instruction waits for', () => {
  it('is a kernel before it, with the semaphore that one changes and the other waits for', () => {
    expect(texts(lastOf(copy, product), 20)).to.deep.equal(['flow: 1 COPY (Scalar), ended 5 ns before; S[4] (Scalar)']);
  });

  it('has no semaphore where none joins the two', () => {
    const other = { ...product, operands: 'S[5] (Tensor)>=1', start: 12 };
    expect(texts(lastOf(copy, other), 12)).to.deep.equal(['flow: 1 COPY (Scalar), ended 3 ns after it started']);
  });

  it('may be a transfer, which raises a semaphore by name', () => {
    const transfer = { ...copy, name: 'DMA_DIRECT2D', short: 'DMA_DIRECT2D', operands: 'semaphore=4 sem_increment=16' };
    expect(lastOf(transfer, product).map(({ semaphore }) => semaphore)).to.deep.equal(['S[4] (Scalar)']);
  });

  it('keeps its id where the kernel is not in the records before, or in another profile', () => {
    const missing = ['flow: instruction 91, which is not among the earlier records'];
    expect(texts(lastOf(product), 20)).to.deep.equal(missing);
    expect(texts(lastOf(copy, { ...product, profile: 1 }), 20)).to.deep.equal(missing);
  });

  for (const capture of CAPTURES) {
    itShared(`${capture}: as in the tool's rows, joined by semaphores that had the value by then`, [capture], ([path = '']) => {
      const { exact, lines } = realFile(path);
      const rows = new Map((exact['instruction'] ?? []).map((row) => [String(row['id']), row]));
      const updates = (exact['semaphore_update'] ?? []).map((row) => ({
        ...{ subgraph: row['subgraph'], at: Number(row['timestamp']), value: Number(row['value']) },
        number: /\d+/.exec(String(row['id']))?.[0],
      }));
      const dependencies = new InstructionDependencies();
      let [edges, joined] = [0, 0];
      for (const line of ofType(lines, 'kernel')) {
        const row = rows.get(String(line.labels?.['id'])) ?? {};
        const stated = (row['predecessors'] ?? []) as { id: string | number }[];
        const found = dependencies.take(completeKernel(line));
        expect(found.map(({ on }) => [on?.name, on?.end])).to.deep.equal(
          stated.map(({ id }) => {
            const before = rows.get(String(id));
            return [before?.['opcode'], Number(before?.['timestamp']) + Number(before?.['duration'])];
          }),
        );
        edges += found.length;
        for (const { semaphore, on } of found) {
          if (semaphore === null) continue;
          joined++;
          const number = /\d+/.exec(semaphore)?.[0];
          const wanted = Number(new RegExp(`S\\[${number}\\][^>]*>=(\\d+)`).exec(String(row['operands']))?.[1]);
          const reached = updates.some(
            (each) =>
              each.subgraph === row['subgraph'] && each.number === number && each.value >= wanted && each.at <= line.start,
          );
          expect(reached, `${semaphore} of ${on?.name} before ${line.name} at ${line.start}`).to.equal(true);
        }
      }
      expect(edges).to.equal([...rows.values()].reduce((sum, row) => sum + ((row['predecessors'] ?? []) as []).length, 0));
      expect(joined).to.be.above(80);
    });
  }
}); // prettier-ignore
