import { expect } from 'chai';
import fc from 'fast-check';
import { TraceTasks } from '../../../../src/parse/readers/ascend/text/trace-tasks.js';
import { propertyRuns } from '../../../support/property-runs.js';

type Task = readonly [start: number, end: number, stream?: number];

function wrappersOf(list: readonly Task[]): number[] {
  const tasks = new TraceTasks();
  for (const [start, end, stream = 7] of list) {
    const none = { lane: 0, connection: 0, name: 0, type: 0, task: 0, batch: 0, subtask: 0 };
    tasks.push({ ...none, start, end, stream });
  }
  return [...tasks.wrappers()].sort((a, b) => a - b);
}

describe('Ascend: tasks that enclose others', () => {
  it('enclose a shorter one of their stream, from its start to its end or longer', () => {
    expect(wrappersOf([[0, 9], [2, 5]])).to.deep.equal([0]); // prettier-ignore
    expect(wrappersOf([[0, 9], [0, 5]])).to.deep.equal([0]); // prettier-ignore
    expect(wrappersOf([[2, 9], [0, 9]])).to.deep.equal([1]); // prettier-ignore
    expect(wrappersOf([[0, 9], [0, 9]])).to.deep.equal([]); // prettier-ignore
    expect(wrappersOf([[0, 9], [2, 10]])).to.deep.equal([]); // prettier-ignore
    expect(wrappersOf([[0, 9], [9, 12]])).to.deep.equal([]); // prettier-ignore
    expect(wrappersOf([[0, 9], [2, 5, 8]])).to.deep.equal([]); // prettier-ignore
  });

  it('enclose no mark without length, and no task of an unknown time or stream', () => {
    for (const inner of [[2, 2], [NaN, 5], [2, NaN], [2, 5, NaN]] as const) expect(wrappersOf([[0, 9], inner])).to.deep.equal([]); // prettier-ignore
  });

  it('are found among very many that each enclose the next', () => {
    const tasks = Array.from({ length: 100_000 }, (_, n): Task => [n, 1_000_000 - n]);
    expect(wrappersOf(tasks)).to.have.lengthOf(99_999);
  });

  it('are those that a comparison of all with all finds', () => {
    const time = fc.integer({ min: 0, max: 12 });
    const task = fc.tuple(time, time, fc.integer({ min: 1, max: 2 }));
    fc.assert(
      fc.property(fc.array(task, { maxLength: 12 }), (list) => {
        const encloses = ([from, to, on]: Task, [start, end, stream]: Task): boolean =>
          on === stream && from <= start && end <= to && start < end && end - start < to - from;
        const expected = list.flatMap((outer, row) => (list.some((inner) => encloses(outer, inner)) ? [row] : []));
        expect(wrappersOf(list)).to.deep.equal(expected);
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});
