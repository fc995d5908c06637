/** Arrows from instructions to those that waited for them, as Perfetto's reader shows them. */
import { expect } from 'chai';
import type { KernelLine, ProfileLine } from '../../../src/record/record.js';
import { FURTHER, realFile, SAMPLED } from '../../parse/readers/neuron/tool-json-files.js';
import { instruction, neuronProfile } from '../../support/neuron.js';
import { itEachShared } from '../../support/shared.js';
import { traced } from '../../support/trace-events.js';

const at = (id: number, start: number, change: Partial<KernelLine> = {}): KernelLine =>
  instruction('COPY', 'Scalar', start, 5, { id, labels: { id: `9${id}` }, ...change });
const after = (id: number): Partial<KernelLine> => ({ after: [{ id: `9${id}`, kind: 'flow' }] });

const arrows = (records: readonly ProfileLine[]): string[] =>
  traced(records, 'unix', true).shown.arrows.map(([from, to]) => `${from.start} → ${to.start}`);

describe('arrows of dependencies', () => {
  it('go to each instruction that waited, and their end says for what', () => {
    const first = at(1, 10, { operands: 'S[4] (Scalar)++@complete' });
    const second = at(2, 20, { operands: 'S[4] (Scalar)>=1', ...after(1) });
    const records = [neuronProfile(), first, second, at(3, 30, after(1))];
    expect(arrows(records)).to.deep.equal(['10 → 20', '10 → 30']);
    const { events } = traced(records, 'unix', true).shown;
    expect(events.map(({ args }) => args['after']).filter((text) => text !== undefined)).to.deep.equal([
      'flow: 1 COPY (Scalar), ended 5 ns before; S[4] (Scalar)',
      'flow: 1 COPY (Scalar), ended 15 ns before',
    ]);
    expect(traced(records).shown.arrows).to.deep.equal([]);
  });

  it('are not drawn to an instruction that starts no later, or without a time, and are counted', () => {
    const records = [neuronProfile(), at(1, 10), at(2, 10, after(1)), at(3, 20, after(7)), at(4, NaN, after(1))];
    const { events, shown } = traced(records, 'unix', true);
    expect(shown.arrows).to.deep.equal([]);
    expect(events.dependencies).to.include({ arrows: 0, withoutArrow: 2 });
  });

  itEachShared(
    SAMPLED,
    FURTHER,
    (capture) => `${capture}: are the dependencies of the tool's rows`,
    (path) => {
      const { exact, lines } = realFile(path);
      const rows = exact['instruction'] ?? [];
      const times = new Map(rows.map((row) => [String(row['id']), String(row['timestamp'])]));
      const stated = rows.flatMap((row) =>
        ((row['predecessors'] ?? []) as { id: string | number }[]).map(
          ({ id }) => `${times.get(String(id))} → ${String(row['timestamp'])}`,
        ),
      );
      expect(stated).to.have.length.above(700);
      expect(arrows(lines).sort()).to.deep.equal(stated.sort());
    },
  );
});
