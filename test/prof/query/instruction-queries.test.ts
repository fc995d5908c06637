/** Conditions on instructions of a Neuron capture, against a count over the rows of the vendor's JSON. */
import { expect } from 'chai';
import { parseWhere } from '../../../src/prof/query/kernel-query.js';
import { CAPTURES, realFile } from '../../parse/readers/neuron/tool-json-files.js';
import { annotate } from '../../support/rows.js';
import { itShared } from '../../support/shared.js';

type Cells = Readonly<Record<string, unknown>>;

const QUERIES: readonly (readonly [where: string, holds: (row: Cells) => boolean])[] = [
  ["operands~'acc_flags=3'", ({ operands }) => String(operands).includes('acc_flags=3')],
  ["operands=~'*S[[]5]*'", () => false],
  ["operands=~'S[5]*acc_flags=?*src=*'", ({ operands }) => /^S\[5\].*acc_flags=.+src=/.test(String(operands))],
  ['pc==70', ({ pc }) => pc === 70],
  ['pc>=70 && pc<80 && engine==Tensor', ({ pc, subgroup }) => Number(pc) >= 70 && Number(pc) < 80 && subgroup === 'Tensor'],
  ["kernel=~'*LOAD*'", ({ opcode }) => String(opcode).includes('LOAD')],
  ["kernel=~'TENSOR_?????'", () => false],
  ["kernel=~'TENSOR_????'", ({ opcode }) => opcode === 'TENSOR_LOAD'],
]; // prettier-ignore

describe('conditions on instructions', () => {
  for (const capture of CAPTURES) {
    itShared(`${capture}: choose as many as the vendor's rows`, [capture], ([path = '']) => {
      const { tables, lines } = realFile(path);
      const rows = annotate(lines);
      for (const [where, holds] of QUERIES) {
        const expected = (tables['instruction'] ?? []).filter(holds).length;
        expect(rows.filter(parseWhere(where)).length, where).to.equal(expected);
      }
      expect(rows.filter(parseWhere("operands~'acc_flags=3'"))).to.have.length.above(10);
    });
  }
});
