/** Instructions of loaded programs → rows of the compiler's. */
import { expect } from 'chai';
import { compilerRow } from '../../../../../src/parse/readers/neuron/ntff/loaded-programs.js';
import type { ProgramEdit } from '../../../../../src/parse/readers/neuron/ntff/metadata.js';

const edit = (place: number, inserted: number, removed: number): ProgramEdit => ({
  offset: place * 64,
  inserted,
  removed,
});

/** Rows of the first instructions: 'r' for one of the runtime, with its row where it stands for one. */
const rows = (count: number, ...edits: readonly ProgramEdit[]): string =>
  Array.from({ length: count }, (_, pc) => {
    const { isRuntime, row } = compilerRow(pc, edits);
    return `${isRuntime ? 'r' : ''}${row ?? ''}`;
  }).join(' ');

describe('rows of the compiler', () => {
  it('are those of the loaded program where the runtime changed nothing', () => {
    expect(rows(3)).to.equal('0 1 2');
  });

  it('start behind what was put before them, and leave out what was put among them', () => {
    expect(rows(8, edit(0, 3, 0), edit(5, 2, 0))).to.equal('r r r 0 1 r r 2');
  });

  it('of replaced instructions belong to those that stand for them: an edit that takes some out ends at its place', () => {
    // Three before; the runtime's one at 4, which ends at 5, stands for rows 1 and 2.
    expect(rows(8, edit(0, 3, 0), edit(5, 1, 2))).to.equal('r r r 0 r1 3 4 5');
  });

  it('stay as they are before an edit, and go on behind the last', () => {
    expect(rows(9, edit(0, 2, 0), edit(3, 1, 2), edit(6, 2, 0))).to.equal('r r r0 2 3 4 r r 5');
  });
});
